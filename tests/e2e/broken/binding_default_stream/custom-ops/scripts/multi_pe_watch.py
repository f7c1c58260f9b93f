# Written by shmem-bind 0.1.0: shared by the operators of this tree
# text 2d19d186f6898a44
"""各算子的多 PE 测试中, 启动和看护各 PE, 给失败分类。用者是 multi_pe_launch.py, 一个 PE 的部分在 multi_pe_test.py。"""

import ctypes
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import time

from multi_pe_test import read_records, run_pe

# ---- 启动和看护各 PE ----


def end_with_parent(parent):
    """父进程 (进程号 parent) 被杀死时, 本进程也随之结束 (Linux 的 PR_SET_PDEATHSIG), 不留下孤儿进程。"""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def worker_process(test, pe, job, parent):
    """子进程入口: 不回到父进程的代码, 不做解释器收尾。"""
    end_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # 中断由父进程处理: 它结束各 PE
    signal.signal(signal.SIGTERM, signal.SIG_IGN if "RANK" in os.environ else signal.SIG_DFL)  # torchrun 给整个进程组发 SIGTERM
    code = 1
    try:
        code = run_pe(test, pe, job)
    except BaseException as error:  # 记录后退出, 由父进程判断
        print(f"[PE {pe}] 异常: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def start_workers(test, job, pes=None):
    """启动各 PE (或其中的 pes); 每个 PE 的输出进入自己的管道。返回 {pe: (进程号, 管道)}。"""
    started = {}
    parent = os.getpid()
    for pe in range(job["pes"]) if pes is None else pes:
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
        started[pe] = (pid, reader)
    return started


FRAME_OF_PYTHON = re.compile(r"\S*/(libpython|python)[^/(]*\(\S*\)\[0x")  # C++ 栈中解释器的各层: Python 栈已说明


class Watch:
    """看护一个任务的各 PE (started 见 start_workers): 用 pidfd 等待, 转发输出, 第一个失败后 2 秒内结束其余的。

    codes {pe: 退出码, 按结束的先后}, lines {pe: 输出的各行}, killed 被父进程结束的 PE, stands {pe: 超时时停在哪里},
    unfinished 退出码是 0, 却没有写下收尾记录的 PE。
    """

    pause = 60  # 秒, 没有动静时最多等这么久

    def __init__(self, started, job):
        self.pids = {pe: pid for pe, (pid, _) in started.items()}
        self.pipes = {pe: pipe for pe, (_, pipe) in started.items()}
        self.job = job
        self.codes, self.killed, self.stands, self.unfinished = {}, set(), {}, set()
        self.lines = {pe: [] for pe in started}
        self.rest = {pe: b"" for pe in started}
        self.poller = select.poll()
        self.owner = {}  # 描述符 -> PE
        self.ends = {}  # 各进程的 pidfd; 内核不支持时为空, 改为定时查看
        try:
            for pe, pid in self.pids.items():
                self.ends[pe] = os.pidfd_open(pid)
        except (AttributeError, OSError):
            pass
        for pe, descriptor in [*self.pipes.items(), *self.ends.items()]:
            self.owner[descriptor] = pe
            self.poller.register(descriptor, select.POLLIN)

    def has_failed(self):
        """有 PE 失败: 退出码不是 0, 或没有写下收尾记录就离开。被父进程结束的不算。"""
        return bool(self.unfinished) or any(code and pe not in self.killed for pe, code in self.codes.items())

    def run(self, deadline):
        stop_at = None
        try:
            while len(self.codes) < len(self.pids):
                self.step(min(deadline if stop_at is None else stop_at, time.monotonic() + self.pause) - time.monotonic())
                now = time.monotonic()
                if stop_at is None and self.has_failed():
                    stop_at = now + 2
                if stop_at is None and now > deadline and len(self.codes) < len(self.pids):
                    print("超时: 询问各 PE 停在哪里, 然后结束它们", file=sys.stderr, flush=True)
                    self.ask()
                    stop_at = now
                if stop_at is not None and now >= stop_at:
                    self.kill()
        finally:
            self.kill()  # 也包括 Ctrl-C
            for descriptor in self.owner:
                os.close(descriptor)
        return self

    def step(self, seconds):
        """等到有输出、有 PE 结束或时间到。"""
        limit = seconds if len(self.ends) == len(self.pids) else min(seconds, 0.02)
        for descriptor, _ in self.poller.poll(max(limit, 0) * 1000):
            if descriptor in self.pipes.values():
                if not self.read(self.owner[descriptor]):
                    self.poller.unregister(descriptor)  # 写端已全部关闭
            else:
                self.poller.unregister(descriptor)
        for pe, pid in self.pids.items():
            if pe not in self.codes:
                done, status = os.waitpid(pid, os.WNOHANG)
                if done:
                    self.codes[pe] = os.waitstatus_to_exitcode(status)
                    self.read(pe, last=True)
                    if status == 0 and not any(record.get("finished") for record in read_records(self.job, [pe])):
                        self.unfinished.add(pe)

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
        """各 PE 收到 SIGUSR1 后写下 Python 栈; 运行库若另有说明 (C++ 栈, 设备停在哪里), 写在输出里。"""
        before = {pe: len(lines) for pe, lines in self.lines.items()}
        asked = [pe for pe in self.pids if pe not in self.codes]
        for pe in asked:
            os.kill(self.pids[pe], signal.SIGUSR1)
        begin = time.monotonic()
        while (now := time.monotonic()) < begin + 2 and len(self.codes) < len(self.pids):
            if now > begin + 0.5 and all(self.stack_of(pe) for pe in asked):
                break
            self.step(0.1)
        for pe in asked:
            said = [line for line in self.lines[pe][before[pe]:] if not FRAME_OF_PYTHON.match(line)]
            self.stands[pe] = "\n".join([*said, self.stack_of(pe)]).strip() or "没有回答"

    def stack_of(self, pe):
        """PE 写下的 Python 栈。"""
        path = pathlib.Path(self.job["folder"], f"pe{pe}.stack")
        return path.read_text(encoding="utf-8", errors="replace").strip() if path.exists() else ""

    def kill(self):
        """先给所有剩下的 PE 发信号, 再逐个回收: 先结束的 PE 来不及让别的 PE 多说一句。"""
        left = {pe: pid for pe, pid in self.pids.items() if pe not in self.codes}
        for pid in left.values():
            os.kill(pid, signal.SIGKILL)
        for pe, pid in left.items():
            os.waitpid(pid, 0)
            self.codes[pe] = -signal.SIGKILL
            self.killed.add(pe)
            self.read(pe, last=True)


# ---- 失败的分类 ----


FOLLOWS = re.compile(r"peer-lost|peer lost|could not join|ended while the PEs met|the PEs did not meet|no answer from PE 0|has not come to"
                     r"|heap not initialized|进程已结束", re.I)  # 别的 PE 先失败, 这里随之失败
ERROR_LINE = re.compile(r"异常: |失败: |shmem-sim: finding|error|Traceback|failed", re.I)

IN_USE = r"in use|AccStoreServer startup failed|Address already"

# 自上而下, 第一条符合的规则给出类别。每条: 类别, 停在哪些步骤 (空: 任何), 首个错误行中的文字 (空: 任何), 提示。
RULES = [
    ("timeout", "", r"wait-deadline|did not end within|超时", "看 stands: 各 PE 停在哪里; 常见原因是少发了信号, 或某个 PE 没有走到同一个集合操作"),
    ("environment", "", IN_USE, "端点被占用: 换一个 --ip-port, 或不给, 由系统选择"),
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
    failed = [pe for pe, code in watch.codes.items() if (code != 0 or pe in watch.unfinished) and pe not in watch.killed]
    failed.sort(key=lambda pe: (is_follower(watch, pe) or (watch.codes[pe] == 1 and steps.get(pe) == "done"),
                                watch.codes[pe] != -signal.SIGKILL))  # 没有 PE 会因别人而被 SIGKILL 结束
    return failed[0] if failed else None


def lost_its_endpoint(result):
    """任务失败, 因为端点被占用。"""
    return result["class"] == "environment" and re.search(IN_USE, result["first_error"], re.I) is not None


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
    line = first_line(watch.lines[pe])
    if pe in watch.unfinished and not line:
        return {"class": KIND_RULES["record"][0], "hint": KIND_RULES["record"][1],
                "first_error": f"PE {pe}: 退出码 0, 没有完成收尾, 最后一步 {step}"}
    if "mismatch" in kinds and line.startswith("失败: "):  # 先有错的结果, 之后才停在别处
        return {"class": KIND_RULES["mismatch"][0], "hint": KIND_RULES["mismatch"][1], "first_error": f"PE {pe}: {line}"}
    line = line or f"退出码 {code}, 最后一步 {step}"
    for name, at, text, hint in RULES:
        if (not at or step in at.split()) and re.search(text, line, re.I):
            return {"class": name, "hint": hint, "first_error": f"PE {pe}: {line}"}
