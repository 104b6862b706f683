"""Times products of numpy and convolutions of torch, one request a line.

Requests and answers are JSON. A request names the operation, its sizes and how often to
repeat it; the answer is the median time in seconds, or what went wrong.
"""
import json, os, sys, time
import numpy as np

made = {}
clock = time.thread_time if os.environ.get("TRIVIUM_CLOCK") == "cpu" else time.perf_counter


def operands(r):
    """Makes the operands of a request once, and returns what to time."""
    key = json.dumps({k: v for k, v in r.items() if k != "reps"})
    if key not in made:
        made.clear()
        made[key] = {"mul": product, "sampled": sampled, "chosen": chosen, "conv": convolution}[r["op"]](r)
    return made[key]


def factors(r):
    g = np.random.default_rng(0)
    m, n, k, t = r["m"], r["n"], r["k"], r["type"]
    a = (g.random((k, m) if r["form"] == "TN" else (m, k)) - 0.5).astype(t)
    b = (g.random((n, k) if r["form"] == "NT" else (k, n)) - 0.5).astype(t)
    return a, b, np.empty((m, n), t)


def product(r):
    a, b, c = factors(r)
    x = a.T if r["form"] == "TN" else a
    y = b.T if r["form"] == "NT" else b
    return lambda: np.matmul(x, y, out=c)


def sampled(r):
    a, b, c = factors(r)
    g = np.random.default_rng(1)
    keep = r["keep"]
    index = np.sort(g.permutation(r["k"])[:keep])
    scale = np.full(keep, r["k"] / keep, r["type"])
    if r["form"] == "TN":
        return lambda: np.matmul((a[index] * scale[:, None]).T, b[index], out=c)
    return lambda: np.matmul(a[:, index] * scale, b[index], out=c)


def chosen(r):
    """Also chooses the pairs with the largest norms, as sampled does not."""
    a, b, c = factors(r)
    k, keep = r["k"], r["keep"]
    along = "ij,ij->i" if r["form"] == "TN" else "ij,ij->j"

    def f():
        norms = np.einsum(along, a, a) * np.einsum("ij,ij->i", b, b)
        index = np.sort(np.argpartition(norms, k - keep)[k - keep:])
        np.matmul(a[index].T if r["form"] == "TN" else a[:, index], b[index], out=c)

    return f


def convolution(r):
    import torch

    torch.set_num_threads(r["threads"])
    x = torch.rand(r["n"], r["in"], r["size"], r["size"])
    w = torch.rand(r["out"], r["in"], 3, 3) - 0.5
    dy = torch.rand(r["n"], r["out"], r["size"], r["size"])
    if r["part"] == "forward":
        return lambda: torch.nn.functional.conv2d(x, w, padding=1)
    mask = [r["part"] == "input", r["part"] == "weight", False]
    back = torch.ops.aten.convolution_backward
    return lambda: back(dy, x, w, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1, mask)


for line in sys.stdin:
    r = json.loads(line)
    try:
        f = operands(r)
        began = time.perf_counter()
        while time.perf_counter() - began < 0.01:
            f()
        times = []
        for _ in range(r["reps"]):
            start = clock()
            f()
            times.append(clock() - start)
        answer = {"seconds": sorted(times)[len(times) // 2]}
    except Exception as e:
        answer = {"error": f"{type(e).__name__}: {e}"}
    print(json.dumps(answer), flush=True)
