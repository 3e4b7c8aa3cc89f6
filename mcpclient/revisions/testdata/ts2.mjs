// An MCP server made with version 2 of the TypeScript SDK. In the revisions
// with sessions it asks for roots when a client is there and whenever they
// change, and tells what it believes. In 2026-07-28 its tools ask for what they
// need in their results. Arguments: the folder of the SDK's packages; stdio or
// http; and for one set up otherwise: modern (2026-07-28 only) or default (as
// the SDK's handler comes, without sessions).
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { pathToFileURL } from 'node:url';

const [modules, transport, setup] = process.argv.slice(2);
const sdk = path => import(pathToFileURL(`${modules}/@modelcontextprotocol/server/dist/${path}`).href);
const { McpServer, createMcpHandler, inputRequired, inputResponse, isLegacyRequest, WebStandardStreamableHTTPServerTransport } = await sdk('index.mjs');

function make() {
  const server = new McpServer({ name: 'ts2', version: '1' }, { capabilities: { tools: {} } });
  let believes = null;
  const ask = async () => {
    try {
      believes = (await server.server.listRoots()).roots.map(r => r.uri);
    } catch (e) {
      believes = [String(e.message ?? e)];
    }
  };
  server.server.oninitialized = ask;
  server.server.setNotificationHandler('notifications/roots/list_changed', ask);
  const text = value => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
  server.registerTool('list_roots', {}, () => text(believes));
  server.registerTool('ask_roots', {}, ctx => {
    const one = inputResponse(ctx.mcpReq.inputResponses, 'one');
    if (one.kind === 'missing')
      return inputRequired({ inputRequests: { one: inputRequired.listRoots() }, requestState: 'state of one' });
    return text(one.roots.map(r => r.uri));
  });
  server.registerTool('ask_much', {}, ctx => {
    const got = ctx.mcpReq.inputResponses;
    const a = inputResponse(got, 'a');
    if (a.kind === 'missing')
      return inputRequired({
        inputRequests: { a: inputRequired.listRoots(), 'b/ü "b"': inputRequired.listRoots() },
        requestState: STATE,
      });
    const state = typeof ctx.mcpReq.requestState === 'function' ? ctx.mcpReq.requestState() : ctx.mcpReq.requestState;
    return text({ a: a.roots.map(r => r.uri), b: inputResponse(got, 'b/ü "b"').roots?.map(r => r.uri), untouched: state === STATE });
  });
  return server;
}

const STATE = ' {"a":1,  "ü":"<&>\\u0000"}\n\t' + 'x'.repeat(5000) + ' ';

const sessions = new Map();

async function legacy(request, message) {
  let t = sessions.get(request.headers.get('mcp-session-id'));
  if (!t) {
    if (message?.method !== 'initialize') return new Response('no session', { status: message ? 400 : 404 });
    t = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized: id => { sessions.set(id, t); } });
    await make().connect(t);
  }
  return t.handleRequest(request, { parsedBody: message });
}

async function serveHTTP() {
  const modern = createMcpHandler(() => make(), { legacy: setup === 'default' ? 'stateless' : 'reject' });
  const server = http.createServer(async (req, res) => {
    try {
      const parts = [];
      for await (const part of req) parts.push(part);
      const raw = Buffer.concat(parts);
      const headers = new Headers();
      for (let i = 0; i < req.rawHeaders.length; i += 2) headers.append(req.rawHeaders[i], req.rawHeaders[i + 1]);
      const gone = new AbortController();
      res.on('close', () => gone.abort());
      const request = () => new Request(`http://${req.headers.host}${req.url}`, {
        method: req.method, headers, body: raw.length ? raw : undefined, signal: gone.signal,
      });
      const message = raw.length ? JSON.parse(raw) : undefined;
      const answer = !setup && await isLegacyRequest(request(), message) ? await legacy(request(), message) : await modern.fetch(request());
      res.writeHead(answer.status, Object.fromEntries(answer.headers));
      res.flushHeaders();
      if (answer.body) for await (const part of answer.body) res.write(part);
      res.end();
    } catch (e) {
      console.error(e);
      if (!res.headersSent) res.writeHead(500);
      res.end();
    }
  });
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
  process.stdin.on('end', () => process.exit(0)).resume();
}

if (transport === 'stdio') {
  const { serveStdio } = await sdk('stdio.mjs');
  serveStdio(() => make(), { legacy: setup === 'modern' ? 'reject' : 'serve' });
} else {
  await serveHTTP();
}
