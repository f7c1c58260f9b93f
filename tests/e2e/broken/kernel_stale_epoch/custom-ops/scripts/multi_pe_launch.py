# Written by shmem-bind 0.1.0: shared by the operators of this tree
# text e991cfda588d48bb
"""各算子的多 PE 测试中, 父进程的部分: 启动和看护各 PE, 核对记录, 给失败分类, 命令行。

test 是算子的测试脚本 torch_test_<算子>.py (模块), 它以 main(test) 开始; 一个 PE 的部分在 multi_pe_test.py。
"""

import argparse
import ctypes
import gc
import json
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid

from multi_pe_test import attributes_of, comparison, golden_problems, is_accepted, judge, run_pe

# ---- 启动和看护各 PE ----


AGENT = "SHMEM_BIND_AGENT"  # torchrun 的进程号, 即各 PE 的父进程


def fresh_endpoint():
    """由系统给出一个空闲端口。"""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{probe.getsockname()[1]}"


def end_with_parent(parent):
    """父进程 (进程号 parent) 被杀死时, 本进程也随之结束 (Linux 的 PR_SET_PDEATHSIG), 不留下孤儿进程。"""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def worker_process(test, pe, job, parent):
    """子进程入口: 不回到父进程的代码, 不做解释器收尾。"""
    end_with_parent(parent)
    code = 1
    try:
        code = run_pe(test, pe, job)
    except BaseException as error:  # 记录后退出, 由父进程判断
        print(f"[PE {pe}] 异常: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def start_workers(test, job):
    """启动各 PE; 每个 PE 的输出进入自己的管道。返回 (进程号, 管道) 的列表。"""
    started = []
    parent = os.getpid()
    for pe in range(job["pes"]):
        reader, writer = os.pipe()
        if job["launcher"] == "spawn":
            text = json.dumps({"pe": pe, "job": job, "parent": parent})
            command = [sys.executable, str(pathlib.Path(test.__file__).resolve()), "--worker", text]
            pid = subprocess.Popen(command, stdout=writer, stderr=writer).pid
        else:
            sys.stdout.flush()
            pid = os.fork()
            if pid == 0:
                os.dup2(writer, 1)
                os.dup2(writer, 2)
                worker_process(test, pe, job, parent)
        os.close(writer)
        os.set_blocking(reader, False)
        started.append((pid, reader))
    return started


class Watch:
    """看护一个任务的各 PE: 用 pidfd 等待, 转发输出, 第一个失败后 2 秒内结束其余的。

    codes {pe: 退出码, 按结束的先后}, lines {pe: 输出的各行}, killed 被父进程结束的 PE, stands {pe: 超时时停在哪里}。
    """

    def __init__(self, started, job):
        self.pids = [pid for pid, _ in started]
        self.pipes = [pipe for _, pipe in started]
        self.folder = job["folder"]
        self.codes, self.killed, self.stands = {}, set(), {}
        self.lines = {pe: [] for pe in range(len(started))}
        self.rest = {pe: b"" for pe in range(len(started))}
        self.poller = select.poll()
        self.owner = {}  # 描述符 -> PE
        self.ends = []  # 各进程的 pidfd; 内核不支持时为空, 改为定时查看
        try:
            for pid in self.pids:
                self.ends.append(os.pidfd_open(pid))
        except (AttributeError, OSError):
            pass
        for pe, descriptor in [*enumerate(self.pipes), *enumerate(self.ends)]:
            self.owner[descriptor] = pe
            self.poller.register(descriptor, select.POLLIN)

    def run(self, deadline):
        stop_at = None
        try:
            while len(self.codes) < len(self.pids):
                self.step(min(deadline if stop_at is None else stop_at, time.monotonic() + 60) - time.monotonic())
                now = time.monotonic()
                if stop_at is None and any(self.codes.values()):
                    stop_at = now + 2
                if stop_at is None and now > deadline and len(self.codes) < len(self.pids):
                    print("超时: 询问各 PE 停在哪里, 然后结束它们", file=sys.stderr, flush=True)
                    self.ask()
                    stop_at = now
                if stop_at is not None and now >= stop_at:
                    self.kill()
        finally:
            self.kill()  # 也包括 Ctrl-C
            for descriptor in [*self.pipes, *self.ends]:
                os.close(descriptor)
        return self

    def step(self, seconds):
        """等到有输出、有 PE 结束或时间到。"""
        limit = seconds if len(self.ends) == len(self.pids) else min(seconds, 0.02)
        for descriptor, _ in self.poller.poll(max(limit, 0) * 1000):
            if descriptor in self.pipes:
                if not self.read(self.owner[descriptor]):
                    self.poller.unregister(descriptor)  # 写端已全部关闭
            else:
                self.poller.unregister(descriptor)
        for pe, pid in enumerate(self.pids):
            if pe not in self.codes:
                done, status = os.waitpid(pid, os.WNOHANG)
                if done:
                    self.codes[pe] = os.waitstatus_to_exitcode(status)
                    self.read(pe, last=True)

    def read(self, pe, last=False):
        """读出管道里现有的内容, 按行加上 PE 号打印。"""
        is_open = True
        while True:
            try:
                data = os.read(self.pipes[pe], 1 << 16)
            except BlockingIOError:
                break
            if not data:
                is_open = False
                break
            self.rest[pe] += data
        *lines, self.rest[pe] = self.rest[pe].split(b"\n")
        if last and self.rest[pe]:
            lines.append(self.rest[pe])
            self.rest[pe] = b""
        for line in lines:
            text = line.decode("utf-8", "replace").removeprefix(f"[PE {pe}] ")
            self.lines[pe].append(text)
            print(f"[PE {pe}] {text}", flush=True)
        return is_open

    def ask(self):
        """各 PE 收到 SIGUSR1 后写下 Python 栈; 运行库若另有说明 (设备停在哪里), 写在输出里。"""
        before = {pe: len(lines) for pe, lines in self.lines.items()}
        asked = [pe for pe in range(len(self.pids)) if pe not in self.codes]
        for pe in asked:
            os.kill(self.pids[pe], signal.SIGUSR1)
        until = time.monotonic() + 0.5
        while (left := until - time.monotonic()) > 0 and len(self.codes) < len(self.pids):
            self.step(left)
        for pe in asked:
            path = pathlib.Path(self.folder, f"pe{pe}.stack")
            stack = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
            self.stands[pe] = "\n".join([*self.lines[pe][before[pe]:], stack.strip()]).strip() or "没有回答"

    def kill(self):
        for pe, pid in enumerate(self.pids):
            if pe not in self.codes:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                self.codes[pe] = -signal.SIGKILL
                self.killed.add(pe)
                self.read(pe, last=True)


# ---- 失败的分类 ----


FOLLOWS = re.compile(r"peer-lost|peer lost|could not join|heap not initialized|进程已结束", re.I)  # 别的 PE 先失败, 这里随之失败
ERROR_LINE = re.compile(r"异常: |失败: |shmem-sim: finding|error|Traceback|failed", re.I)

# 自上而下, 第一条符合的规则给出类别。每条: 类别, 停在哪些步骤 (空: 任何), 首个错误行中的文字 (空: 任何), 提示。
RULES = [
    ("timeout", "", r"wait-deadline|did not end within|超时", "看 stands: 各 PE 停在哪里; 常见原因是少发了信号, 或某个 PE 没有走到同一个集合操作"),
    ("environment", "", r"in use|AccStoreServer startup failed|Address already", "端点被占用: 换一个 --ip-port, 或不给, 由系统选择"),
    ("environment", "", r"MemoryError|Cannot allocate memory|out of memory|No space left|bad_alloc|Too many open files",
     "内存、/dev/shm 或句柄不足: 减少 PE 数或形状, 用 df /dev/shm 和 ulimit -a 查看"),
    ("load", "load", "", "库没有加载成功: 核对 LD_LIBRARY_PATH, 重新编译, 用 ldd -r 查看缺少的符号"),
    ("load", "init create", r"does not exist! Ensure that it is registered",
     "这个类不在本进程已加载的库中: 库没有在 worker 内加载, 或加载了旧的库, 重新编译"),
    ("init", "init", "", "attr_init 失败: 各 PE 的 n_pes、local_mem_size、端点须一致, 见首个错误行"),
    ("launch", "start device", "", "PE 在初始化之前就结束了: 看设备、torch_npu 和环境变量"),
    ("lifecycle", "close finalize done", "", "收尾时失败: 先 close 各对象, 再 finalize; 析构函数里不能有集合操作"),
    ("launch", "create compute", "异常: |kernel-fault|finding", "算子的构造或 kernel 出错: 看首个错误行的位置"),
    ("lifecycle", "", "", "PE 中途结束 (被信号杀死, 或没有走到结尾): 看退出码和它的最后一步"),
]
KIND_RULES = {
    "mismatch": ("mismatch", "结果与 golden 不同: 先核对输入, 再看规律 (哪个 PE、哪一块、尾部、类型转换、同步), 见 calls, 最后才看 kernel"),
    "record": ("lifecycle", "记录缺少、重复或不属于该 PE: 测试脚本或 worker 没有按约定运行"),
    "golden": ("mismatch", "没有可信的 golden 可比: 修正 docs/design.md 中的 golden"),
}


def first_failed(watch, steps):
    """第一个自己失败 (而不是随别人失败) 的 PE; 没有则是 None。"""
    failed = [pe for pe, code in watch.codes.items() if code != 0 and pe not in watch.killed]
    failed.sort(key=lambda pe: is_follower(watch, pe) or (watch.codes[pe] == 1 and steps.get(pe) == "done"))
    return failed[0] if failed else None


def is_follower(watch, pe):
    """它最早的错误就是别的 PE 造成的。"""
    wrong = [line for line in watch.lines[pe] if ERROR_LINE.search(line)]
    return watch.codes[pe] >= 0 and bool(wrong and FOLLOWS.search(wrong[0]))


def first_line(lines):
    wrong = [line for line in lines if ERROR_LINE.search(line)]
    return next((line for line in wrong if not FOLLOWS.search(line)), wrong[0] if wrong else "")


def classify(watch, steps, kinds):
    """失败的类别、提示和首个有效错误。steps {pe: 最后一步}, kinds 记录中发现的问题的种类。"""
    if watch.stands:
        return {"class": "timeout", "hint": RULES[0][3], "first_error": "到期限时 " + "; ".join(
            f"PE {pe} 在 {steps.get(pe, 'start')}" for pe in sorted(watch.stands))}
    pe = None if "golden" in kinds else first_failed(watch, steps)
    if pe is None or (watch.codes[pe] == 1 and steps.get(pe) == "done" and kinds):
        kind = next((kind for kind in ("golden", "record", "mismatch") if kind in kinds), "record")
        line = next((f"PE {p}: {line}" for p, lines in watch.lines.items() if (line := first_line(lines))), kinds.get(kind, ""))
        return {"class": KIND_RULES[kind][0], "hint": KIND_RULES[kind][1], "first_error": line if kind == "mismatch" else kinds.get(kind, line)}
    step, code = steps.get(pe, "start"), watch.codes[pe]
    line = first_line(watch.lines[pe]) or f"退出码 {code}, 最后一步 {step}"
    for name, at, text, hint in RULES:
        if (not at or step in at.split()) and re.search(text, line, re.I):
            return {"class": name, "hint": hint, "first_error": f"PE {pe}: {line}"}


# ---- 任务 ----


def result_of(test, job, watch, begin, doubts=()):
    """一个任务的结果字典。"""
    problems, seen, steps, end = judge(test, job, watch.codes)
    problems += [("timeout", f"PE {sorted(watch.stands)} 到期限 {job['deadline']} s 时没有结束")] if watch.stands else []
    problems = [("golden", text) for text in doubts] or problems
    kinds = {kind: text for kind, text in reversed(problems) if kind != "exit"}
    wrong = [record for record in seen.values() if not is_accepted(test, record, job["pes"])]
    fields = ("pe", "dtype", "case", "call", "layout", "equal", "detail", "seconds")
    cause = classify(watch, steps, kinds) if problems else {"class": "", "hint": "", "first_error": ""}
    return {"name": job.get("name", ""), "pes": job["pes"], "launcher": job["launcher"], "passed": not problems, **cause,
            "problems": [text for _, text in problems[:20]], "records": len(seen),
            "expected": job["pes"] * len(job["dtypes"]) * len(job["cases"]) * job["calls"],
            "exit_codes": [watch.codes[pe] for pe in range(job["pes"])], "seconds": round(time.monotonic() - begin, 3),
            "stands": watch.stands, "calls": [{field: record.get(field) for field in fields} for record in wrong[:50]],
            "comparison": comparison(test, job), "torch_npu": end.get("version", ""), "torch_npu_path": end.get("path", "")}


def refused(job, kind, problems):
    """没有启动 PE, 或没有留下结果的任务。"""
    name, hint = KIND_RULES[kind]
    return {"name": job.get("name", ""), "pes": job["pes"], "launcher": job["launcher"], "passed": False, "class": name, "hint": hint,
            "first_error": problems[0], "problems": problems, "records": 0, "expected": 0, "seconds": 0, "stands": {}, "calls": []}


def skipped(job, after):
    """没有运行的任务: 同样多的 PE 上前面的任务 after 没有结束, 这一个多半也会等到期限。"""
    return {"name": job.get("name", ""), "pes": job["pes"], "launcher": job["launcher"], "passed": False, "class": "",
            "skipped": f"任务 {after} 没有结束, 其后同样 PE 数的任务不再运行", "problems": [], "records": 0, "expected": 0, "seconds": 0}


def check_golden(test, jobs):
    """启动任何 PE 之前, 在子进程中检验 golden (父进程不做张量运算); 返回问题列表。"""
    reader, writer = os.pipe()
    parent = os.getpid()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        end_with_parent(parent)
        signal.alarm(60)
        try:
            problems = []
            for pes in dict.fromkeys(job["pes"] for job in jobs):
                mine = [job for job in jobs if job["pes"] == pes]
                wanted = {case for job in mine for case in job["cases"]}
                problems += golden_problems(test, pes, next(iter(mine[0]["dtypes"])), wanted)
            os.write(writer, json.dumps(problems).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as pipe:
        text = pipe.read()
    os.waitpid(pid, 0)
    return json.loads(text) if text else ["golden 的检验没有完成"]


def run_job(test, job):
    """运行一个任务, 返回结果字典。"""
    with tempfile.TemporaryDirectory(prefix="shmem-bind-") as folder:
        job = {"straggler": job["seed"] % job["pes"], "environment": {}, **job, "folder": folder, "nonce": uuid.uuid4().hex}
        job.setdefault("ip_port", fresh_endpoint())
        job.setdefault("next_ip_ports", [fresh_endpoint() for _ in range(1, job.get("lives", 1))])
        if isinstance(job["cases"], list):  # 任务里可以只写用例名
            job["cases"] = {name: test.CASES[name] for name in job["cases"]}
        begin = time.monotonic()
        npu = getattr(sys.modules.get("torch"), "npu", None)
        if job["launcher"] == "fork" and npu is not None and npu.is_initialized():
            print("本进程已使用过设备, 不能再 fork: 改用 spawn", file=sys.stderr, flush=True)
            job["launcher"] = "spawn"
        return result_of(test, job, Watch(start_workers(test, job), job).run(begin + job["deadline"]), begin)


def run_under_torchrun(test, args):
    """由 torchrun 启动: 每个进程就是一个 PE; 用 gloo 传递端点、收集结果。"""
    end_with_parent(int(os.environ.get(AGENT, os.getppid())))
    import torch.distributed as dist

    begin = time.monotonic()
    doubts = check_golden(test, [{**make_job(test, args), "pes": int(os.environ["WORLD_SIZE"])}]) if os.environ["RANK"] == "0" else []
    dist.init_process_group("gloo")
    pe, pes = dist.get_rank(), dist.get_world_size()
    shared = [None]
    if pe == 0:
        shared = [{"doubts": doubts, "ip_port": args.ip_port or fresh_endpoint(), "nonce": uuid.uuid4().hex,
                   "folder": tempfile.mkdtemp(prefix="shmem-bind-")}]
    dist.broadcast_object_list(shared, src=0)
    job = {**make_job(test, args), **shared[0], "pes": pes, "straggler": args.seed % pes}
    code = 1 if job["doubts"] else run_pe(test, pe, job)
    codes = [None] * pes
    dist.all_gather_object(codes, code)
    if pe == 0:
        watch = argparse.Namespace(codes=dict(enumerate(codes)), killed=set(), stands={}, lines={pe: [] for pe in range(pes)})
        result = result_of(test, {**job, "name": "torchrun", "launcher": "torchrun"}, watch, begin, doubts)
        finish(test, [result], args.report)
        code = 0 if result["passed"] else 1
    dist.barrier()
    sys.stdout.flush()
    os._exit(code)


def torchrun_command(test, pes, arguments):
    return [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(pes),
            str(pathlib.Path(test.__file__).resolve()), *arguments]


def start_torchrun(test, job, path):
    """任务表中的 torchrun 任务: 另起一组进程, 与其余任务同时进行。"""
    arguments = ["--dtype", *job["dtypes"], "--case", *job["cases"], "--seed", str(job["seed"]), "--calls", str(job["calls"]),
                 "--report", path]
    parent = os.getpid()

    def become_agent():
        end_with_parent(parent)
        os.environ.update(job.get("environment", {}), **{AGENT: str(os.getpid())})

    with open(path + ".log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(torchrun_command(test, job["pes"], arguments), stdout=log, stderr=subprocess.STDOUT,
                                   preexec_fn=become_agent)
    process.began = time.time()
    return process


def end_torchrun(job, process, path):
    """等待它结束, 返回它的结果字典; 超时则结束它 (各 PE 随之结束)。"""
    late = {}
    try:
        code = process.wait(timeout=job["deadline"])
    except subprocess.TimeoutExpired:
        late = {"class": RULES[0][0], "hint": RULES[0][3]}
        process.kill()
        code = process.wait()
    ended = max(os.path.getmtime(name) for name in (path + ".log", path) if os.path.exists(name))  # 最后一次写文件的时刻
    with open(path + ".log", encoding="utf-8", errors="replace") as log:
        said = log.read()
    print(said, end="", flush=True)
    result = refused(job, "record", ["torchrun 没有留下结果"])
    result["first_error"] = first_line(said.splitlines()) or result["first_error"]
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            result = json.load(file)["results"][0]
    problems = result["problems"] + ([f"torchrun 的退出码是 {code}"] if code != 0 else [])
    if problems and not result["class"]:  # 各 PE 都通过了, 之后才失败
        result.update(refused(job, "record", problems))
    seconds = round(max(ended - getattr(process, "began", ended), 0), 3)
    return {**result, **late, "name": job.get("name", ""), "seconds": seconds, "passed": result["passed"] and not problems,
            "problems": problems}


def run_jobs(test, jobs):
    """依次运行各任务; torchrun 任务在旁边进行, 到它时才等它。返回各任务的结果字典。"""
    results = []
    with tempfile.TemporaryDirectory(prefix="shmem-bind-") as folder:
        paths = [os.path.join(folder, f"{index}.json") for index in range(len(jobs))]
        beside = {path: start_torchrun(test, job, path) for job, path in zip(jobs, paths) if job["launcher"] == "torchrun"}
        # 导入一次, 各 PE 由此 fork; 父进程不做任何张量运算, 不触碰设备
        import torch
        import torch_npu  # noqa: F401

        torch.set_num_threads(1)
        gc.freeze()  # 各 PE 不再扫描导入的模块
        problems = check_golden(test, jobs)
        hung = {}  # PE 数 -> 没有结束的任务
        for job, path in zip(jobs, paths):
            if path in beside:
                results.append(end_torchrun(job, beside[path], path))
            elif job["pes"] in hung and not job.get("keep_going", True):
                results.append(skipped(job, hung[job["pes"]]))
            else:
                results.append(refused(job, "golden", problems) if problems else run_job(test, job))
            if results[-1]["class"] == "timeout":
                hung.setdefault(job["pes"], job.get("name", ""))
            mark = "通过" if results[-1]["passed"] else "未运行" if "skipped" in results[-1] else "失败"
            print(f"进度 {len(results)}/{len(jobs)} {job.get('name', '')} {mark} {results[-1]['seconds']} s", flush=True)
    return results


def finish(test, results, report):
    for result in results:
        mark = "通过" if result["passed"] else result.get("skipped", "失败")
        print(f"[{result['name'] or test.OP}] {result['pes']} PE, {result['launcher']}, {result['records']}/{result['expected']} 条结果: {mark}"
              f" ({result.get('comparison', '没有比较')})")
        if result.get("class"):
            print(f"    [{result['class']}] {result['first_error']}\n    提示: {result['hint']}")
        for problem in result["problems"]:
            print(f"    {problem}")
        for pe, text in sorted(result.get("stands", {}).items()):
            print(f"    PE {pe} 停在:\n" + "\n".join(f"        {line}" for line in text.splitlines()))
    if report:
        with open(report, "w", encoding="utf-8") as file:
            json.dump({"op": test.OP, "results": results}, file, ensure_ascii=False, indent=1)
            file.write("\n")
    sys.stdout.flush()
    return 0 if all(result["passed"] for result in results) else 1


def make_job(test, args):
    return {"pes": args.pes, "dtypes": args.dtype or list(test.DTYPES),
            "cases": {name: test.CASES[name] for name in args.case or test.CASES}, "seed": args.seed, "calls": args.calls,
            "launcher": args.launcher, "deadline": args.deadline}


def parse(test, arguments):
    parser = argparse.ArgumentParser(description=f"{test.CLASS} 的多 PE 测试")
    parser.add_argument("--pes", type=int, default=8, help="PE 个数 (默认 8)")
    parser.add_argument("--dtype", nargs="+", choices=list(test.DTYPES), help="数据类型 (默认全部)")
    parser.add_argument("--case", nargs="+", choices=list(test.CASES), help="用例 (默认全部)")
    parser.add_argument("--shape", nargs="+", metavar="SYMBOL=SIZE", help="代替用例: 直接给出形状符号, 如 rows=64 cols=32")
    parser.add_argument("--seed", type=int, default=0, help="数据种子的一部分")
    parser.add_argument("--calls", type=int, default=6, help="同一对象连续调用的次数 (默认 6, 至少 3)")
    parser.add_argument("--launcher", choices=["fork", "spawn", "torchrun"], default="fork", help="启动方式")
    parser.add_argument("--ip-port", default="", help="端点 tcp://host:port (默认用空闲端口)")
    parser.add_argument("--deadline", type=float, default=120, help="秒, 超过即结束")
    parser.add_argument("--report", default="", help="结果写入这个 JSON 文件")
    parser.add_argument("--plan", default="", help="JSON 文件: 依次运行其中的多个任务")
    parser.add_argument("--worker", default="", help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    if args.shape:
        test.CASES["shape"] = {key: int(value) for key, value in (item.split("=") for item in args.shape)}
        test.CASES["shape"].update(attributes_of(test, test.CASES["shape"]))
        args.case = ["shape"]
    if args.calls < 3 and not args.plan and not args.worker:
        parser.error("--calls 至少为 3: 一次调用看不出信号复用")
    return args


def run_script(test):
    args = parse(test, sys.argv[1:])
    if args.worker:
        worker_process(test, **json.loads(args.worker))
    if args.launcher == "torchrun" and "RANK" not in os.environ:
        command = torchrun_command(test, args.pes, sys.argv[1:])
        sys.stdout.flush()
        os.environ[AGENT] = str(os.getpid())
        os.execv(command[0], command)
    if "RANK" in os.environ and "WORLD_SIZE" in os.environ:
        run_under_torchrun(test, args)
    if args.plan:
        with open(args.plan, encoding="utf-8") as file:
            jobs = json.load(file)
    else:
        jobs = [make_job(test, args)]
        if args.ip_port:
            jobs[0]["ip_port"] = args.ip_port
    return finish(test, run_jobs(test, jobs), args.report)


def main(test):
    """算子脚本的入口: 按命令行运行, 不返回。"""
    try:
        code = run_script(test)
    except KeyboardInterrupt:  # 各 PE 已随之结束
        print("中断", file=sys.stderr, flush=True)
        code = 130
    sys.stdout.flush()
    os._exit(code)
