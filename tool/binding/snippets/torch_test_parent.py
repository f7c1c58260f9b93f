# ---- 父进程 ----


AGENT = "SHMEM_BIND_AGENT"  # torchrun 的进程号, 即各 PE 的父进程


def fresh_endpoint():
    """由系统给出一个空闲端口。"""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{probe.getsockname()[1]}"


def start_workers(job):
    pids = []
    parent = os.getpid()
    for pe in range(job["pes"]):
        if job["launcher"] == "spawn":
            text = json.dumps({"pe": pe, "job": job, "parent": parent})
            pids.append(subprocess.Popen([sys.executable, str(pathlib.Path(__file__).resolve()), "--worker", text]).pid)
        else:
            sys.stdout.flush()
            pid = os.fork()
            if pid == 0:
                worker_process(pe, job, parent)
            pids.append(pid)
    return pids


def wait_workers(pids, deadline):
    """读取每个退出码; 一个失败或超时, 其余的在 2 秒内结束。返回 {pe: 退出码}。"""
    codes = {}
    stop_at = None
    while len(codes) < len(pids):
        for pe, pid in enumerate(pids):
            if pe in codes:
                continue
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                codes[pe] = os.waitstatus_to_exitcode(status)
                if codes[pe] != 0 and stop_at is None:
                    stop_at = time.monotonic() + 2
        now = time.monotonic()
        if now > deadline and stop_at is None:
            print("超时: 结束所有 PE", file=sys.stderr, flush=True)
            stop_at = now
        if stop_at is not None and now >= stop_at:
            for pe, pid in enumerate(pids):
                if pe not in codes:
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                    codes[pe] = -signal.SIGKILL
        time.sleep(0.005)
    return codes


def read_records(job):
    records = []
    for pe in range(job["pes"]):
        path = os.path.join(job["folder"], f"pe{pe}.jsonl")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                records += [json.loads(line) for line in file if line.strip()]
    return records


def is_accepted(record, pes):
    """输出齐全, 且父进程对每个输出的判断与 PE 的结论一致。"""
    outputs = record["outputs"]
    complete = set(OUTPUTS) - set(OPTIONAL) <= set(outputs) <= set(OUTPUTS)
    return record["equal"] and complete and all(agrees(outputs[name], OUTPUTS[name] or DTYPES[record["dtype"]], pes) for name in outputs)


def judge(job, codes):
    """核对退出码和记录, 返回问题列表。"""
    problems = [f"PE {pe} 的退出码是 {code}" for pe, code in sorted(codes.items()) if code != 0]
    records = read_records(job)
    seen = {}
    for record in records:
        if record["nonce"] != job["nonce"]:
            problems.append(f"PE {record['pe']} 的记录不属于这次运行")
        elif "call" in record:
            key = (record["pe"], record["dtype"], record["case"], record["call"])
            if key in seen:
                problems.append(f"重复的记录: {key}")
            seen[key] = record
    for dtype_name in job["dtypes"]:
        for case in job["cases"]:
            for call in range(job["calls"]):
                row = [seen.get((pe, dtype_name, case, call)) for pe in range(job["pes"])]
                name = f"{dtype_name} {case} 第 {call} 次"
                missing = [pe for pe, record in enumerate(row) if record is None]
                if missing:
                    problems.append(f"{name}: PE {missing} 没有结果")
                    continue
                for pe, record in enumerate(row):
                    if not is_accepted(record, job["pes"]):
                        problems.append(f"{name}: PE {pe} 结果不符 ({record['layout']}): {record['detail'] or '记录自相矛盾'}")
                if len(INPUTS) > len(SHARED) and len({record["input"] for record in row}) != job["pes"]:
                    total = sum(len(as_bytes(t)) for t in gen_data(job["pes"], job, dtype_name, case, call)[0].values())
                    if total >= 8:
                        problems.append(f"{name}: 不同 PE 的输入相同, 结果没有意义")
    finished = {record["pe"] for record in records if record.get("finished")}
    for pe in range(job["pes"]):
        if pe not in finished and codes.get(pe) == 0:
            problems.append(f"PE {pe} 没有完成收尾")
    return problems, len(seen), next((r for r in records if r.get("finished")), {})


def check_golden(jobs):
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
                problems += golden_problems(pes, next(iter(mine[0]["dtypes"])), {case for job in mine for case in job["cases"]})
            os.write(writer, json.dumps(problems).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as pipe:
        text = pipe.read()
    os.waitpid(pid, 0)
    return json.loads(text) if text else ["golden 的检验没有完成"]


def run_job(job):
    """运行一个任务, 返回结果字典。"""
    with tempfile.TemporaryDirectory(prefix="shmem-bind-") as folder:
        job = {"straggler": job["seed"] % job["pes"], "environment": {}, **job, "folder": folder, "nonce": uuid.uuid4().hex}
        job.setdefault("ip_port", fresh_endpoint())
        job.setdefault("next_ip_ports", [fresh_endpoint() for _ in range(1, job.get("lives", 1))])
        if isinstance(job["cases"], list):  # 任务里可以只写用例名
            job["cases"] = {name: CASES[name] for name in job["cases"]}
        begin = time.monotonic()
        codes = wait_workers(start_workers(job), begin + job["deadline"])
        problems, count, end = judge(job, codes)
        return {"name": job.get("name", ""), "pes": job["pes"], "launcher": job["launcher"], "passed": not problems,
                "problems": problems[:20], "records": count, "expected": job["pes"] * len(job["dtypes"]) * len(job["cases"]) * job["calls"],
                "exit_codes": [codes[pe] for pe in range(job["pes"])], "seconds": round(time.monotonic() - begin, 3),
                "comparison": comparison(job), "torch_npu": end.get("version", ""), "torch_npu_path": end.get("path", "")}


def run_under_torchrun(args):
    """由 torchrun 启动: 每个进程就是一个 PE; 用 gloo 传递端点、收集结果。"""
    end_with_parent(int(os.environ.get(AGENT, os.getppid())))
    import torch.distributed as dist

    begin = time.monotonic()
    doubts = check_golden([{**make_job(args), "pes": int(os.environ["WORLD_SIZE"])}]) if os.environ["RANK"] == "0" else []
    dist.init_process_group("gloo")
    pe, pes = dist.get_rank(), dist.get_world_size()
    shared = [None]
    if pe == 0:
        shared = [{"doubts": doubts, "ip_port": args.ip_port or fresh_endpoint(), "nonce": uuid.uuid4().hex,
                   "folder": tempfile.mkdtemp(prefix="shmem-bind-")}]
    dist.broadcast_object_list(shared, src=0)
    job = {**make_job(args), **shared[0], "pes": pes, "straggler": args.seed % pes}
    code = 1 if job["doubts"] else worker(pe, job)
    codes = [None] * pes
    dist.all_gather_object(codes, code)
    if pe == 0:
        problems, count, end = judge(job, dict(enumerate(codes)))
        problems = doubts or problems
        result = {"name": "torchrun", "pes": pes, "launcher": "torchrun", "passed": not problems, "problems": problems[:20],
                  "records": count, "expected": pes * len(job["dtypes"]) * len(job["cases"]) * job["calls"], "exit_codes": codes,
                  "seconds": round(time.monotonic() - begin, 3), "comparison": comparison(job),
                  "torch_npu": end.get("version", ""), "torch_npu_path": end.get("path", "")}
        finish([result], args.report)
        code = 0 if not problems else 1
    dist.barrier()
    sys.stdout.flush()
    os._exit(code)


def torchrun_command(pes, arguments):
    return [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(pes),
            str(pathlib.Path(__file__).resolve()), *arguments]


def start_torchrun(job, path):
    """任务表中的 torchrun 任务: 另起一组进程, 与其余任务同时进行。"""
    arguments = ["--dtype", *job["dtypes"], "--case", *job["cases"], "--seed", str(job["seed"]), "--calls", str(job["calls"]),
                 "--report", path]
    parent = os.getpid()

    def become_agent():
        end_with_parent(parent)
        os.environ.update(job.get("environment", {}), **{AGENT: str(os.getpid())})

    with open(path + ".log", "w", encoding="utf-8") as log:
        return subprocess.Popen(torchrun_command(job["pes"], arguments), stdout=log, stderr=subprocess.STDOUT, preexec_fn=become_agent)


def end_torchrun(job, process, path):
    """等待它结束, 返回它的结果字典; 超时则结束它 (各 PE 随之结束)。"""
    try:
        code = process.wait(timeout=job["deadline"])
    except subprocess.TimeoutExpired:
        process.kill()
        code = process.wait()
    result = {"pes": job["pes"], "launcher": "torchrun", "passed": False, "problems": ["torchrun 没有留下结果"], "records": 0, "expected": 0,
              "seconds": 0}
    with open(path + ".log", encoding="utf-8") as log:
        print(log.read(), end="", flush=True)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            result = json.load(file)["results"][0]
    problems = result["problems"] + ([f"torchrun 的退出码是 {code}"] if code != 0 else [])
    return {**result, "name": job.get("name", ""), "passed": result["passed"] and not problems, "problems": problems}


def run_jobs(jobs):
    """依次运行各任务; torchrun 任务在旁边进行, 到它时才等它。返回各任务的结果字典。"""
    results = []
    with tempfile.TemporaryDirectory(prefix="shmem-bind-") as folder:
        paths = [os.path.join(folder, f"{index}.json") for index in range(len(jobs))]
        beside = {path: start_torchrun(job, path) for job, path in zip(jobs, paths) if job["launcher"] == "torchrun"}
        # 导入一次, 各 PE 由此 fork; 父进程不做任何张量运算, 不触碰设备
        import torch
        import torch_npu  # noqa: F401

        torch.set_num_threads(1)
        gc.freeze()  # 各 PE 不再扫描导入的模块
        problems = check_golden(jobs)
        for job, path in zip(jobs, paths):
            if path in beside:
                results.append(end_torchrun(job, beside[path], path))
            else:
                refused = {"name": job.get("name", ""), "pes": job["pes"], "launcher": job["launcher"], "passed": False,
                           "problems": problems, "records": 0, "expected": 0, "seconds": 0}
                results.append(refused if problems else run_job(job))
            mark = "通过" if results[-1]["passed"] else "失败"
            print(f"进度 {len(results)}/{len(jobs)} {job.get('name', '')} {mark} {results[-1]['seconds']} s", flush=True)
    return results


def finish(results, report):
    for result in results:
        mark = "通过" if result["passed"] else "失败"
        print(f"[{result['name'] or OP}] {result['pes']} PE, {result['launcher']}, {result['records']}/{result['expected']} 条结果: {mark}"
              f" ({result.get('comparison', '没有比较')})")
        for problem in result["problems"]:
            print(f"    {problem}")
    if report:
        with open(report, "w", encoding="utf-8") as file:
            json.dump({"op": OP, "results": results}, file, ensure_ascii=False, indent=1)
            file.write("\n")
    sys.stdout.flush()
    return 0 if all(result["passed"] for result in results) else 1


def make_job(args):
    return {"pes": args.pes, "dtypes": args.dtype or list(DTYPES), "cases": {name: CASES[name] for name in args.case or CASES}, "seed": args.seed,
            "calls": args.calls, "launcher": args.launcher, "deadline": args.deadline}


def parse(arguments):
    parser = argparse.ArgumentParser(description=f"{CLASS} 的多 PE 测试")
    parser.add_argument("--pes", type=int, default=8, help="PE 个数 (默认 8)")
    parser.add_argument("--dtype", nargs="+", choices=list(DTYPES), help="数据类型 (默认全部)")
    parser.add_argument("--case", nargs="+", choices=list(CASES), help="用例 (默认全部)")
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
        CASES["shape"] = {key: int(value) for key, value in (item.split("=") for item in args.shape)}
        CASES["shape"].update(attributes_of(CASES["shape"]))
        args.case = ["shape"]
    if args.calls < 3 and not args.plan and not args.worker:
        parser.error("--calls 至少为 3: 一次调用看不出信号复用")
    return args


def main(arguments=None):
    args = parse(arguments)
    if args.worker:
        given = json.loads(args.worker)
        worker_process(**given)
    if args.launcher == "torchrun" and "RANK" not in os.environ:
        command = torchrun_command(args.pes, arguments or sys.argv[1:])
        sys.stdout.flush()
        os.environ[AGENT] = str(os.getpid())
        os.execv(command[0], command)
    if "RANK" in os.environ and "WORLD_SIZE" in os.environ:
        run_under_torchrun(args)
    if args.plan:
        with open(args.plan, encoding="utf-8") as file:
            jobs = json.load(file)
    else:
        jobs = [make_job(args)]
        if args.ip_port:
            jobs[0]["ip_port"] = args.ip_port
    return finish(run_jobs(jobs), args.report)


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)
