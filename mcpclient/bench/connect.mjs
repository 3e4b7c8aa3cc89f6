// The client of the TypeScript SDK, measured beside ours: it connects again and
// again and prints how long each time took.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, times, transport, target] = process.argv.slice(2);
const sdk = (path) => import(pathToFileURL(join(modules, "@modelcontextprotocol/sdk/dist/esm", path)).href);
const { Client } = await sdk("client/index.js");
const { StdioClientTransport } = await sdk("client/stdio.js");
const { StreamableHTTPClientTransport } = await sdk("client/streamableHttp.js");
const { SSEClientTransport } = await sdk("client/sse.js");

const make = {
  stdio: () => new StdioClientTransport({ command: target, args: ["-as", "server", "stdio"] }),
  http: () => new StreamableHTTPClientTransport(new URL(target)),
  sse: () => new SSEClientTransport(new URL(target)),
}[transport];
const took = [];
for (let i = 0; i < Number(times); i++) {
  const client = new Client({ name: "bench", version: "1" }, { capabilities: { roots: { listChanged: true } } });
  const began = process.hrtime.bigint();
  await client.connect(make());
  took.push(Number(process.hrtime.bigint() - began));
  await client.close();
}
console.log(JSON.stringify({ took, memoryMb: process.memoryUsage().rss / 2 ** 20 }));
process.exit(0);
