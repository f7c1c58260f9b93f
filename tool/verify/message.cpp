#include "tool/verify/message.h"

#include <array>

#include "tool/base/text.h"

namespace shmem_bind::verify {
namespace {

struct Row {
  std::string_view id;
  std::string_view english;
  std::string_view chinese;
};

constexpr std::array kTable = {
    // Checks: their names, then what they say.
    Row{"correctness", "correctness evidence", "正确性证据"},
    Row{"review", "review evidence", "评审证据"},
    Row{"evidence.given", "status.{} is {}", "status.{} 为 {}"},
    Row{"evidence.missing",
        "status.{} is not passed; --accept-unverified went on without it",
        "status.{} 未通过; 由 --accept-unverified 继续"},
    Row{"oracle", "golden", "参考答案"},
    Row{"oracle.known", "{}", "{}"},
    Row{"oracle.none",
        "nothing says what the right answer is; torch_binding.golden does",
        "没有正确结果的依据; 请写 torch_binding.golden"},
    Row{"tree", "tree", "生成的文件"},
    Row{"tree.current", "it is what generate writes", "与 generate 写出的一致"},
    Row{"tree.differs",
        "{} files are not what generate writes, first {}; shmem-bind diff shows them",
        "{} 个文件与 generate 写出的不同, 第一个: {}; 用 shmem-bind diff 查看"},
    Row{"versions", "versions", "版本"},
    Row{"versions.same", "the workers loaded torch_npu {}", "各 PE 加载的是 torch_npu {}"},
    Row{"versions.differ",
        "the workers loaded torch_npu {}, installed is {}; see the library path",
        "各 PE 加载的是 torch_npu {}, 安装的是 {}; 请查看库路径"},
    Row{"pes", "PEs", "PE 个数"},
    Row{"pes.all", "run on {}", "已在 {} 个 PE 上运行"},
    Row{"pes.missing", "not run on {} PEs", "没有在 {} 个 PE 上运行"},
    Row{"dtypes", "dtypes", "数据类型"},
    Row{"dtypes.all", "run with {}", "已测 {}"},
    Row{"dtypes.missing", "not run with {}", "没有测 {}"},
    Row{"cases", "cases", "用例"},
    Row{"cases.all", "run with {}", "已测 {}"},
    Row{"cases.missing", "not run with {}", "没有测 {}"},
    Row{"launchers", "launchers", "启动方式"},
    Row{"launchers.all", "started by {}", "已用 {} 启动"},
    Row{"launchers.missing", "not started by {}", "没有用 {} 启动"},
    Row{"seeds", "adversarial seeds", "对抗种子"},
    Row{"seeds.all", "{}", "{}"},
    Row{"seeds.none", "none", "没有"},
    Row{"seeds.board",
        "a board orders by itself; the simulated CANN takes seeds",
        "实际设备的次序由设备决定; 只有模拟的 CANN 使用种子"},
    Row{"jobs", "jobs", "任务"},
    Row{"jobs.all", "{} passed", "{} 个全部通过"},
    Row{"jobs.failed", "{} of {} failed, first {}", "{} 个失败 (共 {} 个), 第一个: {}"},
    Row{"jobs.skipped",
        "{} of {} failed, first {}; {} not run after a job that did not end (--keep-going runs "
        "them)",
        "{} 个失败 (共 {} 个), 第一个: {}; 有任务没有结束, 其后 {} 个没有运行 (--keep-going "
        "则继续)"},
    Row{"jobs.none", "nothing was run", "什么也没有运行"},
    Row{"records", "results", "结果记录"},
    Row{"records.all", "{}, one of each PE and call", "{} 条, 每个 PE 每次调用一条"},
    Row{"records.missing", "{} instead of {}", "{} 条, 应有 {} 条"},
    Row{"report", "report of the test", "测试报告"},
    Row{"report.complete", "complete", "完整"},
    Row{"report.broken", "{}", "{}"},
    Row{"simulator", "findings of the simulator", "模拟器的发现"},
    Row{"simulator.none", "none", "没有"},
    Row{"simulator.some", "{}, first: {}", "{} 条, 第一条: {}"},
    Row{"mutants", "known-bad variants", "已知错误的变体"},
    Row{"mutants.killed", "{} of {} killed", "{} 个被发现 (共 {} 个)"},
    Row{"mutants.survived", "{} survived: {}", "{} 个没有被发现: {}"},
    Row{"matrix", "matrix", "测试矩阵"},
    Row{"matrix.single", "one job of it was run", "只运行了其中一个任务"},
    Row{"batch", "batch", "批量"},
    Row{"batch.stopped", "{}", "{}"},
    Row{"torch", "Torch binding", "Torch 绑定"},
    Row{"torch.skipped", "meta.torch_required is {}", "meta.torch_required 为 {}"},
    // States.
    Row{"verified", "verified", "已验证"},
    Row{"failed", "NOT VERIFIED: failed", "未通过: 失败"},
    Row{"unverified", "nothing failed, but not verified", "没有失败, 但未完全验证"},
    Row{"skipped", "skipped", "已跳过"},
    Row{"check.passed", "passed", "通过"},
    Row{"check.failed", "FAILED", "失败"},
    Row{"job.skipped", "not run", "未运行"},
    Row{"check.open", "not shown", "未证明"},
    Row{"check.waived", "not shown, as asked", "按命令行要求未证明"},
    // Lines of the text report.
    Row{"and", " and ", " 和 "},
    Row{"warning", "warning: {}", "警告: {}"},
    Row{"problem", "problem: {}", "问题: {}"},
    Row{"finding", "finding: {}", "发现: {}"},
    Row{"class", "class {}: {}", "类别 {}: {}"},
    Row{"hint", "way out: {}", "处理: {}"},
    Row{"stands", "PE {} stood at {}", "PE {} 停在 {}"},
    Row{"results", "results", "条结果"},
    Row{"with",
        "torch {}, torch_npu {}, CANN {} ({}), Python {}, {}",
        "torch {}, torch_npu {}, CANN {} ({}), Python {}, {}"},
    Row{"npu_path", "torch_npu {} at {}", "torch_npu {}, 位于 {}"},
    Row{"simulated", "simulated", "模拟"},
    Row{"real", "real", "真实"},
    Row{"unknown", "unknown", "未知"},
    Row{"on", " on {} PEs, dtypes {}", ": {} 个 PE, 数据类型 {}"},
};

const Row* find(std::string_view id) {
  for (const Row& row : kTable) {
    if (row.id == id) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace

std::string text_of(const Message& message, Language language) {
  const Row* row = find(message.id);
  if (row == nullptr) {
    return message.id + (message.arguments.empty() ? "" : ": " + joined(message.arguments, ", "));
  }
  std::string_view rest = language == Language::kChinese ? row->chinese : row->english;
  std::string text;
  for (const std::string& argument : message.arguments) {
    const size_t hole = rest.find("{}");
    if (hole == std::string_view::npos) {
      break;
    }
    text.append(rest.substr(0, hole)).append(argument);
    rest.remove_prefix(hole + 2);
  }
  return text.append(rest);
}

std::string text_of(std::string_view id, Language language) {
  return text_of(Message{std::string(id), {}}, language);
}

std::string enumeration(const std::vector<std::string>& items, Language language) {
  if (items.size() < 2) {
    return joined(items, "");
  }
  const std::vector<std::string> first(items.begin(), items.end() - 1);
  return joined(first, ", ") + text_of("and", language) + items.back();
}

}  // namespace shmem_bind::verify
