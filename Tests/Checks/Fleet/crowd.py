"""New policy at many hosts with certificates of their own: when all that wait are woken, what a host that waits costs the web
server, and when the last one has it that only asks each minute.

The hosts are simulated: connections of one process, each with the certificate of its host, which ask for what a host asks for,
on new connections as its curl does.
"""

import asyncio
import hashlib
import re
import resource
import ssl
import time

import centre as fleet


class Client:
    """The network part of a simulated host."""

    def __init__(self, centre, name):
        self.centre, self.name = centre, name
        folder = centre.stick / "hosts" / name
        self.context = ssl.create_default_context(cafile=folder / "authority.pem")
        self.context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
        self.reader = self.writer = None
        self.snapshot = b""

    async def connect(self):
        self.reader, self.writer = await asyncio.open_connection(
            "localhost", self.centre.port, ssl=self.context, ssl_handshake_timeout=120)

    async def ask(self, path):
        """Asks on the open connection; returns the code and the content."""
        self.writer.write(f"GET /{path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)\ncontent-length: (\d+)", head)
        return int(head.split()[1]), await self.reader.readexactly(int(length.group(1)) if length else 0)

    def close(self):
        if self.writer is not None:
            self.writer.transport.abort()
        self.reader = self.writer = None

    async def fetch(self):
        """Asks for all that a turn of a host asks for, each on a connection of its own."""
        for path in (f"ack/{self.name}", "pub/root", "pub/snapshot"):
            await self.connect()
            code, content = await self.ask(path)
            self.close()
            if path == "pub/snapshot" and code == 200:
                for digest in set(re.findall(rb"\b[0-9a-f]{64}\b", content)):
                    await self.connect()
                    code, file = await self.ask(f"pub/files/{digest.decode()}")
                    self.close()
                    if code == 200 and hashlib.sha256(file).hexdigest().encode() != digest:
                        raise fleet.Failed(f"{self.name}: another file came")
                self.snapshot = content


def check(centre, says, count=1_000, polled=1):
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    names = [f"pc{number:05}" for number in range(1, count + 1)]
    began = time.monotonic()
    centre.enroll(names)
    print(f"        fleet enroll: {(time.monotonic() - began) / count * 1e3:.0f} ms a certificate")
    clients = [Client(centre, name) for name in names]
    centre.publish("first")
    centre.start_web()
    asyncio.run(play(centre, says, clients, polled))


async def play(centre, says, clients, polled):
    count = len(clients)
    before = centre.web_memory()
    # Some at a time: what is measured is the waiting.
    for first in range(0, count, 20):
        await asyncio.gather(*(client.connect() for client in clients[first:first + 20]))
    woken, there = [], []

    async def wait(client):
        while (await client.ask("wait"))[0] not in (200, 304):
            await asyncio.sleep(1)
        woken.append(time.monotonic())
        client.close()
        await client.fetch()
        there.append(time.monotonic())

    tasks = [asyncio.create_task(wait(client)) for client in clients]
    await asyncio.sleep(3)
    says(f"{count} hosts wait", centre.connections() >= count and not woken, f"{centre.connections()}, {len(woken)} woken")
    memory = (centre.web_memory() - before) / count
    cost = centre.web_cost()
    began = time.monotonic()
    await asyncio.to_thread(centre.publish, "second")
    published = time.monotonic() - began
    while len(woken) < count and time.monotonic() - began < 60:
        await asyncio.sleep(0.01)
    done, left = await asyncio.wait(tasks, timeout=120)
    for task in left:
        task.cancel()
    for task in done:
        task.result()
    cost = centre.web_cost() - cost
    says(f"{count} hosts were woken, and fetched the second snapshot",
         len(there) == count and all(client.snapshot == clients[0].snapshot for client in clients), len(there))
    # The command ends when the server has answered that it wakes.
    print(f"        publishing took {published:.2f} s; the first was woken {min(woken) - began:.2f} s after its start, the last "
          f"{max(woken) - min(woken):.2f} s later, and the last had fetched {max(there) - min(woken):.2f} s later")
    print(f"        a host that waits: {memory / 1e3:.1f} kB of nginx's memory; a host that is woken and fetches on "
          f"connections of its own: {cost / count * 1e3:.2f} ms of nginx's processor")
    says("a host that waits costs at most 40 kB", memory <= 40e3, f"{memory:.0f}")
    if not polled:
        return
    # Each at its own second of the minute, with none that wakes them.
    asked = clients[0].snapshot
    began = time.monotonic()
    await asyncio.to_thread(centre.publish, "third")
    last = []

    async def poll(number, client):
        # Where its turn falls in the minute that begins when the new snapshot is there.
        digest = int.from_bytes(hashlib.sha256(client.name.encode()).digest()[:4], "big")
        await asyncio.sleep(digest % 60_000 / 1_000)
        await client.fetch()
        if client.snapshot != asked:
            last.append(time.monotonic())

    published = time.monotonic()
    await asyncio.gather(*(poll(number, client) for number, client in enumerate(clients)))
    says(f"{count} hosts that ask each minute have the third snapshot", len(last) == count, len(last))
    print(f"        the last one {max(last) - published:.1f} s after it was published, which took {published - began:.1f} s")
    says("the last one within 61 s", max(last) - published <= 61, max(last) - published)
