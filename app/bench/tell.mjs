// The client of the TypeScript SDK tells many servers that the roots changed, as
// its documentation shows: one loop over all clients.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, server, serverCount, rootCount, rounds] = process.argv.slice(2);
const sdk = (path) => import(pathToFileURL(join(modules, "@modelcontextprotocol/sdk/dist/esm", path)).href);
const { Client } = await sdk("client/index.js");
const { StdioClientTransport } = await sdk("client/stdio.js");
const { ListRootsRequestSchema } = await sdk("types.js");

const all = Array.from({ length: Number(rootCount) + 1 }, (_, i) => ({ uri: `file:///home/user/projects/project-${i}`, name: `project ${i}` }));
let roots = all.slice(0, -1);
let waiting = new Set();
let done = () => {};

const clients = await Promise.all(
  Array.from({ length: Number(serverCount) }, async (_, i) => {
    const client = new Client({ name: "bench", version: "1" }, { capabilities: { roots: { listChanged: true } } });
    client.setRequestHandler(ListRootsRequestSchema, async () => {
      setImmediate(() => {
        waiting.delete(i);
        if (waiting.size === 0) done();
      });
      return { roots };
    });
    waiting.add(i);
    await client.connect(new StdioClientTransport({ command: server, args: ["probe", String(i)], stderr: "ignore" }));
    return client;
  }),
);
if (waiting.size > 0) await new Promise((resolve) => (done = resolve));

const write = [];
const have = [];
for (let round = 0; round < 2 * Number(rounds); round++) {
  await new Promise((resolve) => setTimeout(resolve, 220));
  waiting = new Set(clients.keys());
  const finished = new Promise((resolve) => (done = resolve));
  const began = performance.now();
  roots = round % 2 === 0 ? all : all.slice(0, -1);
  await Promise.all(clients.map((client) => client.sendRootsListChanged()));
  write.push(performance.now() - began);
  await finished;
  have.push(performance.now() - began);
}
console.log(JSON.stringify({ write, have }));
await Promise.all(clients.map((client) => client.close()));
