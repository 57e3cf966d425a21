"""A greeter for greetd: writes what it sees of a file, then logs a user in whose session does the same.

greeter.py FOLDER USER PASSWORD FILE: writes FOLDER/greeter and has the session write FOLDER/session.
"""

import json
import os
import socket
import struct
import sys

folder, user, password, path = sys.argv[1:]


def look(name):
    with open(f"{folder}/{name}", "w") as file:
        file.write(open(path).read() if os.path.exists(path) else "")
        file.write("".join(line for line in open("/proc/self/mountinfo") if "managed-defaults/programs" in line))


look("greeter")
connection = socket.socket(socket.AF_UNIX)
connection.connect(os.environ["GREETD_SOCK"])


def ask(**request):
    text = json.dumps(request).encode()
    connection.sendall(struct.pack("=I", len(text)) + text)
    length = struct.unpack("=I", connection.recv(4))[0]
    return json.loads(connection.recv(length))


answer = ask(type="create_session", username=user)
while answer["type"] == "auth_message":
    answer = ask(type="post_auth_message_response", response=password)
if answer["type"] == "success":
    # greetd joins the words to a line for a shell.
    script = f"{folder}/begin"
    with open(script, "w") as file:
        file.write(f"#!/bin/sh\ncat {path} > {folder}/session\necho end >> {folder}/session\n")
    os.chmod(script, 0o755)
    answer = ask(type="start_session", cmd=[script])
if answer["type"] != "success":
    with open(f"{folder}/session", "w") as file:
        file.write(json.dumps(answer))
