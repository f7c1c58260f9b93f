#include "tool/prove/variants.h"

// What can be wrong with a test: it passes what it should not. Whoever runs the tool sees first
// that the text is no generated one; what such a test lets through by itself is said beside it.

namespace shmem_bind::prove {
namespace {

struct WrongTest {
  const char* title;
  const char* text;  // "test", "pe" or "parent"
  const char* from;
  const char* to;
};

const WrongTest kWrongTests[] = {
    {"memory is not poisoned",
     "pe",
     "        if self.storage.numel() > 0:\n            self.storage.copy_(",
     "        if False:\n            self.storage.copy_("},
    {"every comparison is true",
     "pe",
     "    if got.shape != want.shape or got.dtype != want.dtype:\n        return False\n",
     "    return True\n"},
    {"the output is compared with itself",
     "pe",
     "compare(test, value.cpu(), step.want[name],",
     "compare(test, value.cpu(), value.cpu(),"},
    {"the expected result is that of the first call",
     "pe",
     "    want = test.golden(pe, n_pes, everyone, attrs)\n",
     "    want = test.golden(pe, n_pes, gen_data(test, n_pes, job, dtype_name, case, 0), attrs)\n"},
    {"the expected result is zero",
     "pe",
     "    want = test.golden(pe, n_pes, everyone, attrs)\n",
     "    want = {name: torch.zeros_like(value) for name, value in test.golden(pe, n_pes, "
     "everyone, "
     "attrs).items()}\n"},
    {"all PEs have the same inputs", "pe", "own = 0 if name in test.SHARED else pe", "own = 0"},
    {"exit codes are ignored",
     "pe",
     "for pe, code in sorted(codes.items()) if code != 0]",
     "for pe, code in sorted(codes.items()) if False]"},
    {"a PE without records is not noticed",
     "pe",
     "    missing = [pe for pe, record in enumerate(row) if record is None]\n",
     "    row = [record for record in row if record]\n    missing = []\n"},
    {"one call only",
     "pe",
     "(self.job[\"calls\"] * at // len(self.endpoints) for at in (self.shares, self.shares + 1))",
     "(at for at in (0, 1))"},
    {"records of another run count",
     "pe",
     "        if record[\"nonce\"] != job[\"nonce\"]:",
     "        if False:"},
    {"the worker loads no library",
     "test",
     "    load_libraries()\n    return sum(",
     "    return sum("},
    {"the parent believes what a PE says of itself",
     "pe",
     "    return record[\"equal\"] and complete and all(",
     "    return record[\"equal\"] or complete and all("},
    {"every tensor is contiguous",
     "pe",
     "    return LAYOUTS[(call + pe) % len(LAYOUTS)], LAYOUTS[(3 * call + pe + 1) % len(LAYOUTS)]",
     "    return LAYOUTS[0], LAYOUTS[0]"},
    {"wrong calls are not made", "pe", "    if job.get(\"wrong_calls\") and", "    if False and"},
};

}  // namespace

std::vector<Variant> test_variants(const Texts& texts) {
  Maker maker("test", texts);
  for (const WrongTest& mistake : kWrongTests) {
    maker.add(mistake.title,
              {{mistake.text, mistake.from, mistake.to}},
              {Probe::kFirst},
              "a check outside the script");
  }
  return maker.take();
}

}  // namespace shmem_bind::prove
