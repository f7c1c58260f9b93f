# 按容差比较的类型: (rtol, 加法达到 2048 次时的 rtol, 偏差的上限), atol 等于 rtol; 其余类型逐位相等
TOLERANCES = @@tolerances@@


def limits(kind, pes):
    """类型 kind 的界限 (rtol, 偏差的上限), 逐位比较时是 None。一个结果至少是 pes 个数之和。"""
    if kind not in TOLERANCES:
        return None
    few, many, bias = TOLERANCES[kind]
    return (few if pes < 2048 else many), bias


def errors(got, want):
    """最大的 |a-g| / max(|g|, 1) 及其位置, 最大的 |a-g|, 偏差。golden 没有的 NaN 或 Inf 算作无穷大的误差。"""
    import torch

    a, g = got.reshape(-1).double(), want.reshape(-1).double()
    if g.numel() == 0:
        return 0.0, 0, 0.0, 0.0
    finite = g.isfinite()
    off = torch.where(finite, a - g, torch.where((a == g) | (a.isnan() & g.isnan()), 0.0, math.inf))
    scale = torch.where(finite, g.abs(), 1.0).clamp(min=1.0)
    size = off.abs().nan_to_num(nan=math.inf, posinf=math.inf)
    at = int((size / scale).argmax())
    # 少于 64 个元素时, 平均值说明不了偏差
    bias = (off.mean().abs() / scale.max()).item() if len(g) >= 64 else 0.0
    return (size / scale)[at].item(), at, size.max().item(), bias


def compare(got, want, given, kind, pes):
    """一个输出的比较结果。golden 只给出前 given 个元素, 其余的是投毒值, 总是逐位比较。"""
    result = {"kind": "bitwise", "golden": digest({"": want}), "output": digest({"": got})}
    limit = limits(kind, pes)
    if limit is None or got.shape != want.shape or got.dtype != want.dtype:
        equal = same_bytes(got, want)
        return {**result, "equal": equal, "detail": "" if equal else first_difference(got, want)}
    a, g = got.reshape(-1), want.reshape(-1)
    error, at, largest, bias = errors(a[:given], g[:given])
    equal = error <= limit[0] and bias <= limit[1] and same_bytes(a[given:], g[given:])
    detail = f"误差 {error:.3g} (上限 {limit[0]:.3g}), 偏差 {bias:.3g} (上限 {limit[1]:.3g})"
    if error > limit[0]:
        detail += f", 第 {at} 个元素: 得到 {a[at].item()}, 应为 {g[at].item()}"
    elif not equal and bias <= limit[1]:
        detail = "不该写的元素被改写: " + first_difference(a[given:], g[given:])
    return {**result, "kind": "tolerance", "rtol": limit[0], "atol": limit[0], "bias_limit": limit[1], "error": error, "bias": bias,
            "largest": largest, "equal": equal, "detail": "" if equal else detail}


def agrees(result, kind, pes):
    """父进程对一个输出的判断, 不只看 PE 的结论: 按容差比较的误差在本脚本的界限之内, 逐位比较的摘要相同。"""
    limit = limits(kind, pes)
    if limit is None:
        return result["kind"] == "bitwise" and result["golden"] == result["output"]
    return (result["kind"] == "tolerance" and result["rtol"] == result["atol"] == limit[0] and result["bias_limit"] == limit[1]
            and 0 <= result["error"] <= limit[0] and 0 <= result["bias"] <= limit[1])


def comparison(job):
    """比较方式, 供打印。"""
    texts = []
    for kind in dict.fromkeys(OUTPUTS[name] or DTYPES[dtype_name] for dtype_name in job["dtypes"] for name in OUTPUTS):
        limit = limits(kind, job["pes"])
        texts.append(f"{kind} 容差 rtol = atol = {limit[0]:.3g}, 偏差不超过 {limit[1]:.3g}" if limit else f"{kind} 逐位相等")
    return "; ".join(texts)
