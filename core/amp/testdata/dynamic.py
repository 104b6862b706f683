"""Times training passes of a Tree-LSTM or a gated graph network in torch, whenever a line asks for some.

The first line is JSON: {"net": "trees", "data": [...]}, {"net": "graphs", "data": [...]} or {"net": "mlp"}. A further
line is {"mode": "node by node", "passes": 3}; the answer is the median of the seconds of a pass over all data.
Embeddings of trees are fixed; an update follows each tree, graph or merged batch.
"""
import json
import os
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional

torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
torch.manual_seed(0)
first = json.loads(sys.stdin.readline())


def trees(data):
    hidden, dim, words, classes = 150, 300, 5000, 5
    embedding = torch.randn(words, dim) * 0.1

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.leaf = nn.Linear(dim, 2 * hidden)
            self.branch = nn.Linear(2 * hidden, 5 * hidden)
            self.out = nn.Linear(hidden, classes)

        def of_leaf(self, x):
            c, o = self.leaf(x).chunk(2, -1)
            return torch.sigmoid(o) * torch.tanh(c), c

        def of_branch(self, h, left, right):
            i, f, g, o, u = self.branch(h).chunk(5, -1)
            c = torch.sigmoid(i) * torch.tanh(u) + torch.sigmoid(f) * left + torch.sigmoid(g) * right
            return torch.sigmoid(o) * torch.tanh(c), c

    net = Net()
    sgd = torch.optim.SGD(net.parameters(), lr=0.01)

    def step(states, labels):
        loss = functional.cross_entropy(net.out(states), labels)
        sgd.zero_grad()
        loss.backward()
        sgd.step()

    def node_by_node():
        for left, right, word, label in data:
            h, c = [], []
            for k in range(len(word)):
                if word[k] >= 0:
                    a, b = net.of_leaf(embedding[word[k]:word[k] + 1])
                else:
                    a, b = net.of_branch(torch.cat([h[left[k]], h[right[k]]], 1), c[left[k]], c[right[k]])
                h.append(a)
                c.append(b)
            step(torch.cat(h), torch.tensor(label))

    def plan(some):
        levels = []
        for left, right, word, label in some:
            at = []
            for k in range(len(word)):
                n = 0 if word[k] >= 0 else 1 + max(at[left[k]][0], at[right[k]][0])
                while len(levels) <= n:
                    levels.append([])
                levels[n].append((word[k], None if n == 0 else (at[left[k]], at[right[k]]), label[k]))
                at.append((n, len(levels[n]) - 1))
        start = [0]
        for one in levels:
            start.append(start[-1] + len(one))
        index = [tuple(torch.tensor([start[x[1][s][0]] + x[1][s][1] for x in one]) for s in (0, 1)) for one in levels[1:]]
        return torch.tensor([x[0] for x in levels[0]]), index, torch.tensor([x[2] for one in levels for x in one])

    def merged(size):
        def run():
            for i in range(0, len(data), size):
                word, index, label = plan(data[i:i + size])
                h, c = net.of_leaf(embedding[word])
                for left, right in index:
                    a, b = net.of_branch(torch.cat([h[left], h[right]], 1), c[left], c[right])
                    h, c = torch.cat([h, a]), torch.cat([c, b])
                step(h, label)
        return run

    return {"node by node": node_by_node, "merged 25": merged(25)}


def graphs(data):
    hidden, kinds, steps = 100, 4, 4

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.message = nn.Linear(hidden, kinds * hidden)
            self.gru = nn.GRUCell(hidden, hidden)
            self.gate = nn.Linear(2 * hidden, 1)
            self.value = nn.Linear(hidden, 1)

    net = Net()
    sgd = torch.optim.SGD(net.parameters(), lr=1e-3)

    def made(some):
        source, target, which, x, offset = [], [], [], [], 0
        for g, (labels, edges, _) in enumerate(some):
            for a, k, b in edges:
                source += [(a + offset) * kinds + k, (b + offset) * kinds + k]
                target += [b + offset, a + offset]
            which += [g] * len(labels)
            offset += len(labels)
            x.append(functional.pad(torch.eye(5)[torch.tensor(labels)], (0, hidden - 5)))
        return (torch.tensor(source), torch.tensor(target), torch.tensor(which), torch.cat(x),
                torch.tensor([g[2] for g in some]), offset)

    def merged(size):
        batches = [made(data[i:i + size]) for i in range(0, len(data), size)]

        def run():
            for source, target, which, x, y, n in batches:
                h = x
                for _ in range(steps):
                    m = net.message(h).view(n * kinds, hidden)
                    h = net.gru(torch.zeros(n, hidden).index_add(0, target, m[source]), h)
                node = (torch.sigmoid(net.gate(torch.cat([h, x], 1))) * net.value(h))[:, 0]
                loss = functional.mse_loss(torch.zeros(len(y)).index_add(0, which, node), y)
                sgd.zero_grad()
                loss.backward()
                sgd.step()
        return run

    return {"graph by graph": merged(1), "merged 20": merged(20), "merged 100": merged(100)}


modes = {"trees": trees, "graphs": graphs}[first["net"]](first["data"])
for line in sys.stdin:
    ask = json.loads(line)
    times = []
    for _ in range(ask["passes"]):
        begin = time.perf_counter()
        modes[ask["mode"]]()
        times.append(time.perf_counter() - begin)
    print(json.dumps({"seconds": statistics.median(times)}), flush=True)
