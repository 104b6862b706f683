"""Times training steps of a network in torch, whenever a line asks for some.

The argument is the network: mlp (784-512-512-10) or cnn (two 5x5 convolutions). A line is JSON:
{"batch": 64, "reps": 10}. The answer is the median time of a step in seconds.
"""
import json
import os
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional

clock = time.thread_time if os.environ.get("TRIVIUM_CLOCK") == "cpu" else time.perf_counter
torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
torch.manual_seed(0)
if sys.argv[1] == "mlp":
    net = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    samples = torch.rand(6400, 784)
else:
    net = nn.Sequential(
        nn.Conv2d(1, 32, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 5, padding=2), nn.ReLU(), nn.Dropout2d(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(3136, 1024), nn.ReLU(), nn.Dropout(), nn.Linear(1024, 10))
    samples = torch.rand(6400, 1, 28, 28)
sgd = torch.optim.SGD(net.parameters(), lr=0.1 if sys.argv[1] == "mlp" else 0.01)
labels = torch.randint(0, 10, (6400,))


def step(start, batch):
    loss = functional.cross_entropy(net(samples[start:start + batch]), labels[start:start + batch])
    sgd.zero_grad()
    loss.backward()
    sgd.step()


at = 0
for line in sys.stdin:
    ask = json.loads(line)
    begin = time.perf_counter()
    while time.perf_counter() - begin < 0.01:
        step(at, ask["batch"])
    times = []
    for _ in range(ask["reps"]):
        begin = clock()
        step(at, ask["batch"])
        times.append(clock() - begin)
        at = (at + ask["batch"]) % (6400 - ask["batch"])
    print(json.dumps({"seconds": statistics.median(times)}), flush=True)
