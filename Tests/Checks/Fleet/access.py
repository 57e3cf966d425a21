"""What a certificate opens at the web server of a centre, and what not."""

import os
import shutil

import centre as fleet


def check(centre, says):
    """Asks as pc01, as pc02, which is revoked, and without a certificate."""
    centre.enroll(["pc01", "pc02", "pc03"])
    stick = centre.stick / "hosts"
    own = stick / "pc01"
    small, name = centre.work / "small", centre.work / "out"
    small.write_bytes(b"x" * 100)
    (centre.folder / "pub/snapshot").write_bytes(b"snapshot")
    for host in ("pc01", "pc02"):
        (centre.folder / "ack" / host).write_bytes(b"log 1 root\n")
    centre.start_web()
    base = centre.address

    def answers(what, code, *words, folder=own):
        got = fleet.curl(folder, "--path-as-is", *words)
        says(f"{what}: {code}", got in (code if isinstance(code, tuple) else (code,)), f"{got}")

    for kind in ("batch.gz", "status", "report.json.gz"):
        answers(f"the first PUT of an own {kind}", 201, "-T", small, f"{base}/in/pc01~{kind}")
        answers(f"a later PUT of an own {kind}", 204, "-T", small, f"{base}/in/pc01~{kind}")
    for what, path in [
        ("another host's", "in/pc02~status"), ("another name", "in/pc01~other"), ("a folder", "in/pc01~status/x"),
        ("a name that begins with the own", "in/pc011~status"), ("a path with ..%2f", "in/..%2fin/pc02~status"),
        ("a path out of the own name", "in/pc01~status/..%2fpc02~status"), ("a line feed", "in/pc01~status%0a"),
        ("an acknowledgement", "ack/pc01"), ("what is published", "pub/snapshot"), ("a key", "authority/authority.pem"),
    ]:
        answers(f"PUT of {what}", (403, 405), "-T", small, f"{base}/{path}")
    for what, path, code in [
        ("what is published", "pub/snapshot", 200), ("who signs", "pub/root", 200),
        ("a file that is not there", "pub/files/" + "0" * 64, 404), ("the own acknowledgement", "ack/pc01", 200),
        ("the next one, which is not synced yet", "ack/pc01~new", 403),
        ("another host's acknowledgement", "ack/pc02", 403), ("the own acknowledgement by ..%2f", "ack/..%2fack/pc02", 403),
        ("the list of what is published", "pub/", 403), ("the list of acknowledgements", "ack/", 403),
        ("the own spool", "in/pc01~status", 403), ("the authority's key", "authority/authority-key.pem", 403),
        ("a host's log", "hosts/pc01/log/current.jsonl", 403), ("the server's own folder", "", 403),
        ("a key by ..%2f", "pub/..%2fauthority/authority-key.pem", 403), ("the waking", "wake", 403),
    ]:
        answers(f"GET of {what}", code, f"{base}/{path}")
    for method in ("DELETE", "MKCOL", "MOVE", "COPY", "POST", "PROPFIND"):
        answers(method, (403, 405), "-X", method, f"{base}/in/pc01~status")
    for kind, size in (("batch.gz", 1 << 20), ("status", 1024), ("report.json.gz", 4 << 20)):
        small.write_bytes(b"x" * size)
        answers(f"the largest {kind}", 204, "-T", small, f"{base}/in/pc01~{kind}")
        small.write_bytes(b"x" * (size + 1))
        answers(f"a byte more of {kind}", 413, "-T", small, f"{base}/in/pc01~{kind}")
    answers("no certificate", 400, f"{base}/pub/snapshot", folder=None)
    server = centre.work / "server"
    server.mkdir()
    for source, target in (("server.pem", "certificate.pem"), ("server-key.pem", "key.pem"), ("authority.pem",) * 2):
        shutil.copy(centre.folder / "authority" / source, server / target)
    answers("the server's certificate as a host's", 400, f"{base}/pub/snapshot", folder=server)
    answers("a host before it is revoked", 200, f"{base}/pub/snapshot", folder=stick / "pc02")
    fleet.run("--root", centre.root, "fleet", "revoke", "pc02")
    centre.stop_web()
    centre.start_web()
    answers("a host after it is revoked", 400, f"{base}/pub/snapshot", folder=stick / "pc02")
    answers("another host meanwhile", 200, f"{base}/pub/snapshot", folder=stick / "pc03")
    fleet.run("--root", centre.root, "fleet", "enroll", "pc02", "-o", centre.stick / "again")
    answers("the revoked host, enrolled again", 200, f"{base}/pub/snapshot", folder=centre.stick / "again/pc02")
    spool = sorted(os.listdir(centre.folder / "in"))
    says("the spool has the three names of pc01 and no more",
         spool == ["pc01~batch.gz", "pc01~report.json.gz", "pc01~status"], f"{spool}")
    centre.stop_web()
