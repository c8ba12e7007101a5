"""A PostgreSQL server of its own in a temporary folder, reached by a Unix socket only."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path


def find_programs():
    """Return the folder of Debian's latest initdb and pg_ctl, None if they are not installed."""
    there = [path for path in Path("/usr/lib/postgresql").glob("*/bin") if (path / "initdb").is_file()]
    return max(there, key=lambda path: float(path.parent.name), default=None)


class Server:
    """A server that can be stopped and started again. Root may not run one, so it is another user's then."""

    def __init__(self, programs):
        self.programs = programs
        # not in TMPDIR: the path of a socket has at most 107 characters, and another user must get there
        self.folder = Path(tempfile.mkdtemp(prefix="lopsided-pg-", dir="/tmp"))
        self.prefix = []
        if os.getuid() == 0:
            user = next(one for one in pwd.getpwall() if one.pw_name in ("postgres", "nobody"))
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.prefix = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        self.data = self.folder / "data"
        self._call("initdb", "-D", self.data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync")
        self.start()

    def _call(self, program, *arguments):
        command = [*self.prefix, self.programs / program, *arguments]
        subprocess.run(command, check=True, cwd=self.folder, capture_output=True, timeout=60)

    def start(self):
        # fsync=off: tests kill processes, and nobody pulls the plug
        options = f"-c listen_addresses='' -k {self.folder} -c max_connections=200 -c fsync=off"
        self._call("pg_ctl", "-D", self.data, "-w", "-o", options, "-l", self.folder / "log", "start")

    def stop(self, mode="fast"):
        self._call("pg_ctl", "-D", self.data, "-w", "-m", mode, "stop")

    def url(self, database):
        return f"postgresql://tester@/{database}?host={self.folder}"

    def empty(self):
        """Return the URL of a database without any table. There is one: making more takes seconds each."""
        import psycopg

        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        return self.url("postgres")

    def close(self):
        self.stop("immediate")
        shutil.rmtree(self.folder)
