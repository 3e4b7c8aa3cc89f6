// An MCP server made with version 1 of the TypeScript SDK. It asks for roots
// when a client is there and whenever they change, and tells what it believes.
// Arguments: the folder of the SDK's packages, and stdio, http or sse.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { pathToFileURL } from 'node:url';

const [modules, transport] = process.argv.slice(2);
const sdk = path => import(pathToFileURL(`${modules}/@modelcontextprotocol/sdk/dist/esm/${path}`).href);
const { Server } = await sdk('server/index.js');
const { CallToolRequestSchema, ListToolsRequestSchema, RootsListChangedNotificationSchema } = await sdk('types.js');

function make() {
  const server = new Server({ name: 'ts1', version: '1' }, { capabilities: { tools: {} } });
  let believes = null;
  const ask = async () => {
    try {
      believes = (await server.listRoots()).roots.map(r => r.uri);
    } catch (e) {
      believes = [String(e.message ?? e)];
    }
  };
  server.oninitialized = ask;
  server.setNotificationHandler(RootsListChangedNotificationSchema, ask);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: 'list_roots', inputSchema: { type: 'object' } }] }));
  server.setRequestHandler(CallToolRequestSchema, () => ({ content: [{ type: 'text', text: JSON.stringify(believes) }] }));
  return server;
}

const sessions = new Map();

async function body(req) {
  const parts = [];
  for await (const part of req) parts.push(part);
  return parts.length ? JSON.parse(Buffer.concat(parts)) : undefined;
}

const serve = {
  async stdio() {
    const { StdioServerTransport } = await sdk('server/stdio.js');
    await make().connect(new StdioServerTransport());
  },
  async http() {
    const { StreamableHTTPServerTransport } = await sdk('server/streamableHttp.js');
    listen('/mcp', async (req, res) => {
      const message = req.method === 'POST' ? await body(req) : undefined;
      let t = sessions.get(req.headers['mcp-session-id']);
      if (!t) {
        if (message?.method !== 'initialize') return res.writeHead(message ? 400 : 404).end('no session');
        t = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized: id => sessions.set(id, t) });
        await make().connect(t);
      }
      await t.handleRequest(req, res, message);
    });
  },
  async sse() {
    const { SSEServerTransport } = await sdk('server/sse.js');
    listen('/sse', async (req, res) => {
      const url = new URL(req.url, 'http://localhost');
      if (req.method === 'GET') {
        const t = new SSEServerTransport('/messages', res);
        sessions.set(t.sessionId, t);
        return make().connect(t);
      }
      const t = sessions.get(url.searchParams.get('sessionId'));
      return t ? t.handlePostMessage(req, res) : res.writeHead(404).end();
    });
  },
};

function listen(path, handle) {
  const server = http.createServer((req, res) => handle(req, res).catch(e => {
    console.error(e);
    if (!res.headersSent) res.writeHead(500).end();
  }));
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}${path}`));
  process.stdin.on('end', () => process.exit(0)).resume();
}

await serve[transport]();
