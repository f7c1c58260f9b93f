#include "tool/prove/variants.h"

namespace shmem_bind::prove {

std::vector<Variant> test_variants(const Texts& texts) {
  Maker maker("test", texts);
  const auto add = [&](const char* title, std::vector<Edit> edits, const char* missed) {
    maker.add(title, edits, {Probe::kSmall}, missed);
  };
  constexpr const char* kOwn = "a check outside the script: prove itself, or generate --force";
  add("memory is not poisoned",
      {{"test",
        "        if self.storage.numel() > 0:\n            self.storage.copy_(",
        "        if False:\n            self.storage.copy_("}},
      kOwn);
  add("every comparison is true",
      {{"test",
        "    if got.shape != want.shape or got.dtype != want.dtype:\n        return False\n",
        "    return True\n"}},
      kOwn);
  add("the output is compared with itself",
      {{"test", "compare(value.cpu(), want[name],", "compare(value.cpu(), value.cpu(),"}},
      kOwn);
  add("the expected result is that of the first call",
      {{"test",
        "        want = golden(pe, n_pes, everyone, attrs)\n",
        "        want = golden(pe, n_pes, gen_data(n_pes, job, dtype_name, case, 0), attrs)\n"}},
      kOwn);
  add("all PEs have the same inputs",
      {{"test", "own = 0 if name in SHARED else pe", "own = 0"}},
      kOwn);
  add("exit codes are ignored",
      {{"test",
        "for pe, code in sorted(codes.items()) if code != 0]",
        "for pe, code in sorted(codes.items()) if False]"}},
      kOwn);
  add("a PE without records is not noticed",
      {{"test",
        "    missing = [pe for pe, record in enumerate(row) if record is None]\n",
        "    row = [record for record in row if record]\n    missing = []\n"}},
      kOwn);
  add("one call only",
      {{"test",
        "(job[\"calls\"] * at // len(endpoints) for at in (life, life + 1))",
        "(at for at in (0, 1))"}},
      kOwn);
  add("records of another run count",
      {{"test", "        if record[\"nonce\"] != job[\"nonce\"]:", "        if False:"}},
      kOwn);
  add("the worker loads no library",
      {{"test", "    load_libraries()\n    wrong", "    wrong"}},
      kOwn);
  add("the parent believes what a PE says of itself",
      {{"test",
        "    return record[\"equal\"] and complete and",
        "    return record[\"equal\"] or complete and"}},
      kOwn);
  add("every tensor is contiguous",
      {{"test",
        "return LAYOUTS[(call + pe) % len(LAYOUTS)], LAYOUTS[(2 * call + pe + 1) % len(LAYOUTS)]",
        "return LAYOUTS[0], LAYOUTS[0]"}},
      kOwn);
  return maker.take();
}

}  // namespace shmem_bind::prove
