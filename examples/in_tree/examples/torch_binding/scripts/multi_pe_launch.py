# Written by shmem-bind 0.1.0: shared by the operators of this tree
# text a62bbfc0cb2f1c9d
"""各算子的多 PE 测试中, 父进程的部分: 安排任务, 核对记录, 写出结果, 命令行; 也是 torchrun 的各进程的部分。

test 是算子的测试脚本 torch_test_<算子>.py (模块), 它以 main(test) 开始; 启动和看护各 PE 在 multi_pe_watch.py。
"""

import argparse
import datetime
import faulthandler
import gc
import json
import math
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid

from multi_pe_test import agrees, as_bytes, attributes_in, attributes_of, comparison, digest, gen_data, read_records
from multi_pe_watch import (ERROR_LINE, KIND_RULES, RULES, Watch, classify, end_with_parent, first_line, lost_its_endpoint, start_workers,
                            worker_process)

# ---- golden 自身的检验 ----


def golden_doubts(test, n_pes, dtype_name, case):
    """在一个用例中 golden 有什么可疑; 没有结果可看时是 None。"""
    job, attrs = {"seed": 0, "cases": test.CASES}, attributes_in(test, 0, n_pes, test.CASES[case])
    inputs, others = (gen_data(test, n_pes, job, dtype_name, case, call) for call in (0, 1))
    results = [test.golden(pe, n_pes, inputs, attrs) for pe in range(n_pes)]
    digests = [digest(result) for result in results]
    if not any(value.numel() for result in results for value in result.values()):
        return None
    own = [{bytes(as_bytes(value)) for value in mine.values()} for mine in inputs]
    is_own = all(bytes(as_bytes(value)) in own[pe] for pe in range(n_pes) for value in results[pe].values())
    doubts = {
        "输入改变, 结果不变": digests == [digest(test.golden(pe, n_pes, others, attrs)) for pe in range(n_pes)],
        "每个 PE 的结果就是它自己的输入": n_pes > 1 and is_own,
        "各 PE 的结果应当不同, 却相同": n_pes > 1 and test.REPLICATED is False and len(set(digests)) == 1,
        "各 PE 的结果应当相同, 却不同": test.REPLICATED is True and len(set(digests)) > 1,
    }
    return {text for text, found in doubts.items() if found}


def golden_problems(test, n_pes, dtype_name, wanted):
    """从小到大试各用例, 到疑点全部消失为止; 返回留下的疑点。只用 CPU。"""
    left = None
    for case in sorted(test.CASES, key=lambda case: sum(map(math.prod, test.input_shapes(n_pes, test.CASES[case]).values()))):
        try:
            doubts = golden_doubts(test, n_pes, dtype_name, case)
        except Exception as error:
            if case in wanted:
                return [f"golden 出错: {case}: {type(error).__name__}: {error}"]
            continue  # 不在这次的用例中, 也许不适合这个 PE 数
        left = doubts if left is None else left & (left if doubts is None else doubts)
        if left == set():
            break
    return [f"golden 不可信: {doubt}" for doubt in sorted(left or [])]


# ---- 对记录的判断 ----


def is_accepted(test, record, pes):
    """输出齐全, 且父进程对每个输出的判断与 PE 的结论一致。"""
    outputs = record["outputs"]
    complete = set(test.OUTPUTS) - set(test.OPTIONAL) <= set(outputs) <= set(test.OUTPUTS)
    return record["equal"] and complete and all(
        agrees(test, outputs[name], test.OUTPUTS[name] or test.DTYPES[record["dtype"]], pes) for name in outputs)


def judge(test, job, codes):
    """核对退出码和记录。返回 (种类, 问题) 的列表、{键: 记录}、{pe: 最后一步} 和收尾记录。"""
    problems = [("exit", f"PE {pe} 的退出码是 {code}") for pe, code in sorted(codes.items()) if code != 0]
    records = read_records(job)
    seen = {}
    for record in records:
        if record["nonce"] != job["nonce"]:
            problems.append(("record", f"PE {record['file']} 的记录不属于这次运行"))
        elif record["pe"] != record["file"]:
            problems.append(("record", f"PE {record['file']} 写了 PE {record['pe']} 的记录"))
        elif "call" in record:
            key = (record["pe"], record["dtype"], record["case"], record["call"])
            if key in seen:
                problems.append(("record", f"重复的记录: {key}"))
            seen[key] = record
    for dtype_name in job["dtypes"]:
        for case in job["cases"]:
            for call in range(job["calls"]):
                row = [seen.get((pe, dtype_name, case, call)) for pe in range(job["pes"])]
                problems += judge_call(test, job, dtype_name, case, call, row)
    finished = {record["file"] for record in records if record.get("finished")}
    problems += [("record", f"PE {pe} 没有完成收尾") for pe in range(job["pes"]) if pe not in finished and codes.get(pe) == 0]
    steps = {record["file"]: record["step"] for record in records if "step" in record}
    return problems, seen, steps, next((r for r in records if r.get("finished")), {})


def judge_call(test, job, dtype_name, case, call, row):
    """一次调用中各 PE 的记录 row (没有的是 None) 有什么问题。"""
    name = f"{dtype_name} {case} 第 {call} 次"
    missing = [pe for pe, record in enumerate(row) if record is None]
    if missing:
        return [("record", f"{name}: PE {missing} 没有结果")]
    problems = [("mismatch", f"{name}: PE {pe} 结果不符 ({record['layout']}): {record['detail'] or '记录自相矛盾'}")
                for pe, record in enumerate(row) if not is_accepted(test, record, job["pes"])]
    if len(test.INPUTS) > len(test.SHARED) and len({record["input"] for record in row}) != job["pes"]:
        mine = gen_data(test, job["pes"], job, dtype_name, case, call)[0]
        total = sum(len(as_bytes(value)) for name, value in mine.items() if name not in test.SHARED)  # 共享的输入本来就相同
        if total >= 8:
            problems.append(("record", f"{name}: 不同 PE 的输入相同, 结果没有意义"))
    return problems


# ---- 任务 ----


AGENT = "SHMEM_BIND_AGENT"  # torchrun 的进程号, 即各 PE 的父进程


def fresh_endpoint():
    """由系统给出一个空闲端口。"""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{probe.getsockname()[1]}"


def on_free_endpoint(job, run):
    """run(job) 的结果。没有指定端点时由系统选择; 若它在 PE 0 使用之前恰好被别的进程占用, 换一个再来一次, 并记在结果里。"""
    def chosen():
        return {**job, "ip_port": job.get("ip_port") or fresh_endpoint(),
                "next_ip_ports": job.get("next_ip_ports") or [fresh_endpoint() for _ in range(1, job.get("lives", 1))]}

    result = run(chosen())
    if job.get("ip_port") or not lost_its_endpoint(result):
        return result
    retried = f"端点被别的进程占用, 换一个再来一次: {result['first_error']}"
    print(retried, file=sys.stderr, flush=True)
    return {**run(chosen()), "retried": retried}


def result_of(test, job, watch, begin):
    """一个任务的结果字典。"""
    problems, seen, steps, end = judge(test, job, watch.codes)
    problems += [("timeout", f"PE {sorted(watch.stands)} 到期限 {job['deadline']} s 时没有结束")] if watch.stands else []
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
        code = 1
        try:
            problems = []
            for pes in dict.fromkeys(job["pes"] for job in jobs):
                mine = [job for job in jobs if job["pes"] == pes]
                wanted = {case for job in mine for case in job["cases"]}
                problems += golden_problems(test, pes, next(iter(mine[0]["dtypes"])), wanted)
            os.write(writer, json.dumps(problems).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as pipe:
        text = pipe.read()
    _, status = os.waitpid(pid, 0)
    return json.loads(text) if status == 0 else ["golden 的检验没有完成"]


def run_job(test, job):
    """运行一个任务, 返回结果字典。"""
    job = {"straggler": job["seed"] % job["pes"], "environment": {}, **job}
    if isinstance(job["cases"], list):  # 任务里可以只写用例名
        job["cases"] = {name: test.CASES[name] for name in job["cases"]}
    begin = time.monotonic()
    npu = getattr(sys.modules.get("torch"), "npu", None)
    if job["launcher"] == "fork" and npu is not None and npu.is_initialized():
        print("本进程已使用过设备, 不能再 fork: 改用 spawn", file=sys.stderr, flush=True)
        job["launcher"] = "spawn"

    def run(job):
        with tempfile.TemporaryDirectory(prefix="shmem-bind-") as folder:
            job = {**job, "folder": folder, "nonce": uuid.uuid4().hex}
            return result_of(test, job, Watch(start_workers(test, job), job).run(begin + job["deadline"]), begin)

    return on_free_endpoint(job, run)


# ---- torchrun ----


class Ranks:
    """torchrun 的各进程: 每个看护自己的一个 PE (由它 fork), 用 torchrun 的键值存储传递任务、失败的消息和各 PE 的结局。

    看护者不碰设备, 所以 PE 停在哪里都能问到, 到期限也总能结束。
    """

    def __init__(self, deadline):
        import torch
        import torch.distributed as dist
        import torch_npu  # noqa: F401

        torch.set_num_threads(1)
        store, self.pe, self.pes = next(dist.rendezvous("env://", timeout=datetime.timedelta(seconds=deadline)))
        if int(os.environ.get("LOCAL_WORLD_SIZE", self.pes)) != self.pes:
            raise RuntimeError("各 PE 须在同一台机器上: torchrun 只能用一个节点 (--nnodes 1)")
        self.store = dist.PrefixStore(f"shmem-bind/{os.environ.get('TORCHELASTIC_RESTART_COUNT', '0')}", store)
        self.attempt = 0

    def tell(self, key, value):
        self.store.set(f"{self.attempt}/{key}", json.dumps(value))

    def is_told(self, key):
        return self.store.check([f"{self.attempt}/{key}"])

    def hear(self, key, until):
        """键的值; 到 until 还没有则是 None。"""
        while not self.is_told(key):
            if time.monotonic() > until:
                return None
            time.sleep(0.02)
        return json.loads(self.store.get(f"{self.attempt}/{key}"))

    def watch(self, test, job):
        """启动和看护自己的 PE, 说出它的结局; 被中断 (torchrun 有别的进程结束) 也说。返回是否没有中断。"""
        watch, whole = RankWatch(start_workers(test, job, [self.pe]), job, self), True
        try:
            watch.run(job["until"])
        except KeyboardInterrupt:
            whole = False
        self.tell(f"end {self.pe}", {
            "code": watch.codes[self.pe], "at": time.monotonic(), "killed": sorted(watch.killed), "unfinished": sorted(watch.unfinished),
            "stand": watch.stands.get(self.pe), "lines": [line for line in watch.lines[self.pe] if ERROR_LINE.search(line)][:100]})
        return whole

    def ends(self, job, whole):
        """各 PE 的结局, 如同一个 Watch。看护者也结束了的 PE 没有结局: 它随看护者被 SIGKILL 结束。"""
        until = job["until"] + 10 if whole else time.monotonic() + 3
        ends = {}
        try:
            for pe in range(self.pes):
                ends[pe] = self.hear(f"end {pe}", until)
        except KeyboardInterrupt:
            return self.ends(job, False)
        nothing = {"code": -signal.SIGKILL, "at": 0, "killed": [], "unfinished": [], "stand": None, "lines": []}
        ends = dict(sorted(((pe, end or nothing) for pe, end in ends.items()), key=lambda item: item[1]["at"]))
        return argparse.Namespace(codes={pe: end["code"] for pe, end in ends.items()}, lines={pe: end["lines"] for pe, end in ends.items()},
                                  killed={pe for end in ends.values() for pe in end["killed"]},
                                  unfinished={pe for end in ends.values() for pe in end["unfinished"]},
                                  stands={pe: end["stand"] for pe, end in ends.items() if end["stand"] is not None})


class RankWatch(Watch):
    """看护一个 PE; 自己的 PE 失败就告诉别的看护者, 也听它们的消息。"""

    pause = 0.1

    def __init__(self, started, job, ranks):
        super().__init__(started, job)
        self.ranks = ranks

    def has_failed(self):
        if super().has_failed():
            self.ranks.tell("failed", self.ranks.pe)
            return True
        return self.ranks.is_told("failed")


def lead(test, args, ranks, begin):
    """PE 0 的看护者: 给出任务, 收集各 PE 的结局, 写出结果。返回退出码。"""
    job = {**make_job(test, args), "name": "torchrun", "launcher": "torchrun", "pes": ranks.pes, "straggler": args.seed % ranks.pes,
           "ip_port": args.ip_port, "until": begin + args.deadline}

    def run(job):
        with tempfile.TemporaryDirectory(prefix="shmem-bind-") as folder:
            job = {**job, "folder": folder, "nonce": uuid.uuid4().hex}
            ranks.tell("task", job)
            whole = ranks.watch(test, job)
            result = result_of(test, job, ranks.ends(job, whole), begin)
            ranks.attempt += 1
            return result

    doubts = check_golden(test, [job])
    result = refused(job, "golden", doubts) if doubts else on_free_endpoint(job, run)
    code = finish(test, [result], args.report)
    ranks.tell("task", {"code": code})
    return code


def follow(test, ranks, until):
    """其余各 PE 的看护者; 以 PE 0 得出的退出码结束。"""
    while True:
        job = ranks.hear("task", until + 30)
        if job is None:
            print(f"[PE {ranks.pe}] PE 0 没有给出任务", file=sys.stderr, flush=True)
            return 1
        if "code" in job:
            return job["code"]
        if not ranks.watch(test, job):
            return 130
        ranks.attempt += 1


def run_under_torchrun(test, args):
    """由 torchrun 启动: 每个进程看护一个 PE。"""
    end_with_parent(int(os.environ.get(AGENT, os.getppid())))
    begin = time.monotonic()
    faulthandler.dump_traceback_later(args.deadline + 60, exit=True)  # 看护者自己也不会一直停着
    ranks = Ranks(args.deadline)
    return lead(test, args, ranks, begin) if ranks.pe == 0 else follow(test, ranks, begin + args.deadline)


def torchrun_command(test, pes, arguments):
    return [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(pes),
            str(pathlib.Path(test.__file__).resolve()), *arguments]


def start_torchrun(test, job, path):
    """任务表中的 torchrun 任务: 另起一组进程, 与其余任务同时进行。"""
    arguments = ["--dtype", *job["dtypes"], "--case", *job["cases"], "--seed", str(job["seed"]), "--calls", str(job["calls"]),
                 "--deadline", str(job["deadline"]), "--report", path]
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
    """等待它结束, 返回它的结果字典。到期限它自己会结束, 并说出各 PE 停在哪里; 若没有, 结束它 (各 PE 随之结束)。"""
    late = {}
    try:
        code = process.wait(timeout=max(getattr(process, "began", time.time()) + job["deadline"] + 30 - time.time(), 1))
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
        if "retried" in result:
            print(f"    {result['retried']}")
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
        return run_under_torchrun(test, args)
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
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # 与 Ctrl-C 一样: 结束各 PE, 删去临时文件
    try:
        code = run_script(test)
    except KeyboardInterrupt:  # 各 PE 已随之结束
        print("中断", file=sys.stderr, flush=True)
        code = 130
    sys.stdout.flush()
    os._exit(code)
