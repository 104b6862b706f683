"""Drives the kernel of jupyter_test.go with jupyter_client: jupyter.py CONNECTION_FILE"""
import sys, time
from jupyter_client import BlockingKernelClient

file = sys.argv[1]


def client():
    c = BlockingKernelClient()
    c.load_connection_file(file)
    c.start_channels()
    c.wait_for_ready(timeout=20)
    return c


def outputs(c, msg_id):
    got = []
    while True:
        m = c.get_iopub_msg(timeout=10)
        if m["parent_header"].get("msg_id") != msg_id:
            continue
        got.append(m)
        if m["msg_type"] == "status" and m["content"]["execution_state"] == "idle":
            return got


c = client()
assert c.is_alive() and c.hb_channel.is_beating()
for i in range(50):
    id = c.execute("héllo %d" % i)
    reply = c.get_shell_msg(timeout=10)
    assert reply["parent_header"]["msg_id"] == id and reply["content"]["status"] == "ok", reply
    types = [m["msg_type"] for m in outputs(c, id)]
    assert types == ["status", "execute_input", "stream", "status"], types
print("50 executions in order")

ids = [c.execute("queued %d" % i) for i in range(200)]
for id in ids:
    assert c.get_shell_msg(timeout=10)["parent_header"]["msg_id"] == id
for id in ids:
    assert len(outputs(c, id)) == 4
print("200 queued")

id = c.execute("input", allow_stdin=True)
ask = c.get_stdin_msg(timeout=10)
assert ask["content"] == {"prompt": "name?", "password": False}, ask
c.input("Ada")
assert c.get_shell_msg(timeout=10)["parent_header"]["msg_id"] == id
text = [m["content"]["text"] for m in outputs(c, id) if m["msg_type"] == "stream"]
assert text == ["Ada"], text
print("input")

id = c.execute("large")
assert c.get_shell_msg(timeout=20)["parent_header"]["msg_id"] == id
text = [m["content"]["text"] for m in outputs(c, id) if m["msg_type"] == "stream"]
assert len(text[0]) == 10_000_000
id = c.execute("x" * 10_000_000)
assert c.get_shell_msg(timeout=20)["parent_header"]["msg_id"] == id
outputs(c, id)
print("10 MB both ways")

other = client()  # its own replies only, the output of both
id = c.execute("two")
assert c.get_shell_msg(timeout=10)["parent_header"]["msg_id"] == id
assert len(outputs(other, id)) == 4
other.stop_channels()
print("two clients")

forger = client()
forger.session.key = b"wrong"
forger.execute("forged")
time.sleep(0.2)
id = c.execute("after a forged message")
assert c.get_shell_msg(timeout=10)["parent_header"]["msg_id"] == id
forger.stop_channels()
print("forged message dropped")

m = c.session.msg("shutdown_request", {"restart": False})
c.control_channel.send(m)
reply = c.get_control_msg(timeout=10)
assert reply["content"] == {"status": "ok", "restart": False}, reply
c.stop_channels()
print("shutdown on control")
