// The client of the TypeScript SDK, measured beside ours: it offers roots,
// calls the server's stopwatch and prints what it found.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, rootCount, warmup, times, transport, target] = process.argv.slice(2);
const sdk = (path) => import(pathToFileURL(join(modules, "@modelcontextprotocol/sdk/dist/esm", path)).href);
const { Client } = await sdk("client/index.js");
const { StdioClientTransport } = await sdk("client/stdio.js");
const { StreamableHTTPClientTransport } = await sdk("client/streamableHttp.js");
const { ListRootsRequestSchema } = await sdk("types.js");

const roots = Array.from({ length: Number(rootCount) }, (_, i) => ({
  uri: `file:///home/user/projects/project-${i}`,
  name: `project ${i}`,
}));
const client = new Client({ name: "bench", version: "1" }, { capabilities: { roots: { listChanged: true } } });
client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots }));
await client.connect(
  transport === "http"
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: target, args: ["-as", "server", "stdio"] }),
);
const result = await client.callTool(
  { name: "measure", arguments: { warmup: Number(warmup), times: Number(times), roots: roots.length } },
  undefined,
  { timeout: 120_000 },
);
if (result.isError) throw new Error(JSON.stringify(result.content));
console.log(JSON.stringify({ took: result.structuredContent.took, memoryMb: process.memoryUsage().rss / 2 ** 20 }));
await client.close();
