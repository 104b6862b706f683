"""Drives the sockets of the package with libzmq, or serves libzmq's to it.

    interop.py drive ROUTER XPUB REP    endpoints of a ROUTER that echoes (a message that
                                        starts with "publish" is published instead), an XPUB
                                        that welcomes, and an echo
    interop.py serve DIRECTORY          the same three from libzmq, until stdin ends
"""
import os, sys, time
import zmq
from zmq.utils.monitor import recv_monitor_message

ctx = zmq.Context()


def sock(kind, endpoint, **options):
    s = ctx.socket(kind)
    s.linger, s.rcvtimeo, s.sndtimeo = 0, 10000, 10000
    for name, value in options.items():
        setattr(s, name, value)
    s.connect(endpoint)
    return s


def echoed(s, frames):
    s.send_multipart(frames)
    got = s.recv_multipart()
    assert got == frames, (len(got), [len(f) for f in got[:30]])


def drive(router, xpub, rep):
    sizes = [0, 1, 254, 255, 256, 257, 8191, 8192, 65535, 65536, 1 << 20, 20_000_000, 0]
    frames = [os.urandom(n) for n in sizes]

    for identity in (b"", b"me", bytes(range(1, 256))):
        s = sock(zmq.DEALER, router, **({"routing_id": identity} if identity else {}))
        echoed(s, frames)
        for i in range(2000):
            s.send_multipart([b"%d" % i, b"x" * (i % 600)])
        for i in range(2000):
            assert s.recv_multipart()[0] == b"%d" % i
        s.close()
    s = sock(zmq.REQ, router)
    for _ in range(3):
        echoed(s, frames[:-2])
    s.close()
    print("ROUTER: DEALER and REQ")

    for kind in (zmq.REQ, zmq.DEALER):
        s = sock(kind, rep)
        for _ in range(100):
            echoed(s, [b"", b"ping"] if kind == zmq.DEALER else [b"ping"])
        s.close()
    print("REP: REQ and DEALER")

    control = sock(zmq.DEALER, router)
    for kind in (zmq.SUB, zmq.XSUB):
        s = sock(kind, xpub)

        def subscribe(topic, on=True):
            if kind == zmq.XSUB:
                s.send(bytes([on]) + topic)
            elif on:
                s.subscribe(topic)
            else:
                s.unsubscribe(topic)

        subscribe(b"")
        assert s.recv_multipart() == [b"welcome", b""]
        control.send_multipart([b"publish", b"kernel.stream"] + frames)
        assert s.recv_multipart() == [b"kernel.stream"] + frames
        subscribe(b"kernel.status")
        assert s.recv_multipart() == [b"welcome", b"kernel.status"]
        subscribe(b"", False)
        time.sleep(0.1)  # nothing tells when that has arrived
        for topic in (b"kernel.stream", b"kernel.status"):
            control.send_multipart([b"publish", topic])
        assert s.recv_multipart() == [b"kernel.status"]
        s.close()
    print("XPUB: SUB and XSUB")

    s = sock(zmq.DEALER, router, heartbeat_ivl=20, heartbeat_timeout=200)
    m = s.get_monitor_socket(zmq.EVENT_DISCONNECTED)
    end = time.time() + 0.5
    while time.time() < end:
        echoed(s, [b"alive"])
        time.sleep(0.05)
    assert not m.poll(0), "disconnected in spite of PONG"
    s.disable_monitor()
    s.close()
    print("PING and PONG")

    for i in range(20):
        s = sock(zmq.DEALER, router, routing_id=b"again")
        echoed(s, [b"%d" % i])
        if i % 2:
            s.close()
    old = sock(zmq.DEALER, router, routing_id=b"twice", reconnect_ivl=-1)
    echoed(old, [b"old"])
    new = sock(zmq.DEALER, router, routing_id=b"twice")
    echoed(new, [b"new"])
    assert not old.poll(100)
    print("reconnecting and handover")

    s = ctx.socket(zmq.PUSH)
    s.linger = 0
    m = s.get_monitor_socket(zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                             zmq.EVENT_DISCONNECTED | zmq.EVENT_HANDSHAKE_SUCCEEDED)
    s.connect(router)
    assert m.poll(5000), "nothing happened to a PUSH"
    assert recv_monitor_message(m)["event"] != zmq.EVENT_HANDSHAKE_SUCCEEDED
    s.disable_monitor()
    s.close()
    echoed(control, [b"still here"])
    print("wrong type")


def serve(directory):
    sockets = []
    for i, kind in enumerate((zmq.ROUTER, zmq.XPUB, zmq.REP)):
        s = ctx.socket(kind)
        s.linger = 0
        if kind == zmq.XPUB:
            s.setsockopt(zmq.XPUB_VERBOSE, 1)
        port = s.bind_to_random_port("tcp://127.0.0.1")
        s.bind("ipc://%s/%d" % (directory, i))
        print("tcp://127.0.0.1:%d ipc://%s/%d" % (port, directory, i), flush=True)
        sockets.append(s)
    router, xpub, rep = sockets
    poller = zmq.Poller()
    for s in sockets:
        poller.register(s, zmq.POLLIN)
    poller.register(0, zmq.POLLIN)
    while True:
        for s, _ in poller.poll():
            if s == 0:
                os._exit(0)
            frames = s.recv_multipart()
            if s is xpub:  # a subscription
                s.send_multipart([frames[0][1:], b"welcome" if frames[0][0] else b"bye"])
            elif s is router and frames[1] == b"publish":
                xpub.send_multipart(frames[2:])
            else:
                s.send_multipart(frames)


if sys.argv[1] == "drive":
    drive(*sys.argv[2:])
else:
    serve(sys.argv[2])
