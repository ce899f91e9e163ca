"""Databases as `nsys export --type=sqlite` writes them, from what is known of its schema.

The rows are made up: no GPU is needed. Times are nanoseconds, threads are (process, thread)."""

import sqlite3

PUSH_POP, START_END, MARK, DOMAIN = 59, 60, 34, 75


def global_tid(thread):
    process, number = thread
    return 1 << 56 | process << 24 | number


def global_pid(process):
    return 1 << 56 | process << 24


WORK = "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER"
TABLES = {
    "StringIds": "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL",
    "NVTX_EVENTS": "start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER, "
                   "color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER, globalTid INTEGER, "
                                   "correlationId INTEGER, nameId INTEGER, returnValue INTEGER",
    "CUPTI_ACTIVITY_KIND_KERNEL": WORK + ", globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER, "
                                  "gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, "
                                  "registersPerThread INTEGER, graphNodeId INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMCPY": WORK + ", globalPid INTEGER, bytes INTEGER, copyKind INTEGER, graphNodeId INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMSET": WORK + ", globalPid INTEGER, value INTEGER, bytes INTEGER, graphNodeId INTEGER",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": WORK + ", globalPid INTEGER, graphId INTEGER, graphExecId INTEGER",
    "CUDA_GRAPH_NODE_EVENTS": "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, "
                              "nameId INTEGER NOT NULL, graphNodeId INTEGER NOT NULL, originalGraphNodeId INTEGER",
    "CUDA_GRAPH_EVENTS": "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, "
                         "nameId INTEGER NOT NULL, graphId INTEGER, originalGraphId INTEGER, graphExecId INTEGER",
    "CUDA_GPU_MEMORY_USAGE_EVENTS": "start INTEGER NOT NULL, globalPid INTEGER NOT NULL, deviceId INTEGER NOT NULL, bytes INTEGER",
    "CUBLAS_EVENTS": "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, "
                     "nameId INTEGER NOT NULL",
    "TARGET_INFO_GPU": "id INTEGER, name TEXT, smCount INTEGER, clockRate INTEGER, memoryBandwidth INTEGER",
    "TARGET_INFO_CUDA_DEVICE": "gpuId INTEGER, cudaId INTEGER, pid INTEGER",
    "ThreadNames": "nameId INTEGER, priority INTEGER, globalTid INTEGER",
    "PROCESSES": "globalPid INTEGER, pid INTEGER, name TEXT",
    "META_DATA_EXPORT": "name TEXT, value TEXT",
    "EXPORT_META_DATA": "name TEXT, value TEXT",
    "TARGET_INFO_SYSTEM_ENV": "globalVid INTEGER NOT NULL, name TEXT, value TEXT",
    "OSRT_API": "start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER",
}


class NsysFile:
    """Tables appear with their first row, as nsys makes them. `lacks`: columns that an older version did not have; `older`: names
    that it had for tables."""

    def __init__(self, path, lacks=(), older={}):
        self.db = sqlite3.connect(path)
        self.lacks = set(lacks)
        self.older = older
        self.columns = {}
        self.strings = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.db.commit()
        self.db.close()

    def insert(self, table, **values):
        name = self.older.get(table, table)
        if table not in self.columns:
            columns = [column for column in TABLES[table].split(", ") if (table, column.split()[0]) not in self.lacks]
            self.db.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
            self.columns[table] = {column.split()[0] for column in columns}
        values = {key: value for key, value in values.items() if (table, key) not in self.lacks}
        assert set(values) <= self.columns[table], (table, set(values) - self.columns[table])
        names = ", ".join(f'"{key}"' for key in values)
        self.db.execute(f"INSERT INTO {name} ({names}) VALUES ({', '.join('?' * len(values))})", list(values.values()))

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = len(self.strings) + 1
            self.insert("StringIds", id=self.strings[text], value=text)
        return self.strings[text]

    def range(self, thread, start, end, name, kind=PUSH_POP, registered=False, **more):
        text = {"textId": self.string(name)} if registered else {"text": name}
        self.insert("NVTX_EVENTS", start=start, end=end, eventType=kind, globalTid=global_tid(thread), **text, **more)

    def call(self, thread, start, end, correlation, name="cudaLaunchKernel"):
        self.insert("CUPTI_ACTIVITY_KIND_RUNTIME", start=start, end=end, eventClass=0, globalTid=global_tid(thread),
                    correlationId=correlation, nameId=self.string(name), returnValue=0)

    def work(self, kind, process, start, end, correlation, device=0, stream=7, context=1, **more):
        self.insert(f"CUPTI_ACTIVITY_KIND_{kind}", start=start, end=end, deviceId=device, contextId=context, streamId=stream,
                    correlationId=correlation, globalPid=global_pid(process), **more)

    def kernel(self, process, start, end, correlation, name="gemm", **more):
        self.work("KERNEL", process, start, end, correlation, demangledName=self.string(name),
                  shortName=self.string(name.split("<")[0]), gridX=8, gridY=2, gridZ=1, blockX=128, blockY=1, blockZ=1, **more)
