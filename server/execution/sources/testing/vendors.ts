import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Stand-ins of services over a real socket. They keep registrations, and send, as the vendors describe it: GitHub’s REST API
 * (repository webhooks), Stripe’s API (webhook endpoints, signatures), the Bot API of Telegram (setWebhook).
 */

export interface Registered {
  readonly id: string;
  url: string;
  secret: string;
  events: readonly string[];
}

export interface Vendor {
  readonly url: string;
  readonly hooks: Registered[];
  /** What was asked of it: method and path. */
  readonly asked: string[];
  /** Called before an answer is sent; a vendor that hangs never resolves. */
  before: (asked: string) => Promise<void> | void;
  /** Sends an event to all that want it, as the vendor signs it; the statuses of the answers. */
  send(event: string, body: unknown, id?: string): Promise<number[]>;
  close(): void;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

interface Kind {
  answer(hooks: Registered[], asked: Asked): Answer;
  /** The headers of a delivery. */
  sign(hook: Registered, body: string, event: string, id: string): Record<string, string>;
  wants(hook: Registered, event: string): boolean;
  readonly sendsPing?: boolean;
}

export type VendorName = 'github' | 'stripe' | 'telegram';

export async function startVendor(name: VendorName): Promise<Vendor> {
  const kind = kinds[name]();
  const hooks: Registered[] = [];
  const asked: string[] = [];
  const vendor: Omit<Vendor, 'url'> = {
    hooks,
    asked,
    before: () => undefined,
    send: (event, body, id = randomUUID()) =>
      Promise.all(
        hooks
          .filter((hook) => kind.wants(hook, event))
          .map((hook) => deliver(hook.url, JSON.stringify(body), (text) => kind.sign(hook, text, event, id))),
      ),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const path = url.split('?', 1)[0] ?? '';
    const told = `${method} ${path}`;
    const body = Buffer.concat(chunks).toString('utf8');
    const count = hooks.length;
    const { status, body: given } = kind.answer(hooks, { method, path, headers, body });
    asked.push(told);
    await vendor.before(told);
    const added = hooks.length > count ? hooks.at(-1) : undefined;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(given === undefined ? undefined : JSON.stringify(given));
    if (added !== undefined && kind.sendsPing)
      await deliver(added.url, JSON.stringify({ zen: 'Keep it logically awesome.', hook_id: 1 }), (text) =>
        kind.sign(added, text, 'ping', randomUUID()),
      ).catch(() => undefined);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(vendor, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

export async function deliver(
  url: string,
  text: string,
  sign: (text: string) => Record<string, string>,
): Promise<number> {
  const headers = { 'content-type': 'application/json', ...sign(text) };
  const answer = await fetch(url, { method: 'POST', headers, body: text });
  await answer.arrayBuffer();
  return answer.status;
}

export function hmac(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

export function stripeSignature(secret: string, text: string, at = Math.floor(Date.now() / 1000)) {
  return { 'stripe-signature': `t=${at},v1=${hmac(secret, `${at}.${text}`)},v0=${'0'.repeat(64)}` };
}

export function slackSignature(secret: string, text: string, at = Math.floor(Date.now() / 1000)) {
  const signature = `v0=${hmac(secret, `v0:${at}:${text}`)}`;
  return { 'x-slack-request-timestamp': `${at}`, 'x-slack-signature': signature };
}

const NOT_FOUND: Answer = { status: 404, body: { message: 'Not Found' } };

function github(): Kind {
  let last = 0;
  return {
    sendsPing: true,
    wants: ({ events }, event) => events.includes(event),
    sign: ({ secret }, body, event, id) => ({
      'x-github-event': event,
      'x-github-delivery': id,
      'x-hub-signature-256': `sha256=${hmac(secret, body)}`,
    }),
    answer(hooks, { method, path, body }) {
      if (!path.startsWith('/repos/acme/shop/hooks')) return NOT_FOUND;
      const shown = ({ id, url, events }: Registered) => ({
        ...{ type: 'Repository', id: Number(id), name: 'web', active: true, events },
        config: { url, content_type: 'json', insecure_ssl: '0', secret: '********' },
      });
      if (method === 'GET') return { status: 200, body: hooks.map(shown) };
      if (method === 'DELETE') {
        const at = hooks.findIndex(({ id }) => path.endsWith(`/${id}`));
        if (at < 0) return NOT_FOUND;
        hooks.splice(at, 1);
        return { status: 204 };
      }
      const { config, events } = JSON.parse(body) as {
        config: { url: string; secret: string };
        events: string[];
      };
      if (hooks.some(({ url }) => url === config.url))
        return { status: 422, body: { message: 'Hook already exists on this repository' } };
      const made = { id: String(++last), url: config.url, secret: config.secret, events };
      hooks.push(made);
      return { status: 201, body: shown(made) };
    },
  };
}

function stripe(): Kind {
  let last = 0;
  const repeated = new Map<string, Answer>();
  return {
    wants: ({ events }, event) => events.includes(event),
    sign: ({ secret }, body) => stripeSignature(secret, body),
    answer(hooks, { method, path, headers, body }) {
      const shown = ({ id, url, events }: Registered) => ({
        ...{ id, object: 'webhook_endpoint', url, status: 'enabled', livemode: false },
        enabled_events: events,
      });
      if (method === 'GET')
        return {
          status: 200,
          body: { object: 'list', url: '/v1/webhook_endpoints', has_more: false, data: hooks.map(shown) },
        };
      if (method === 'DELETE') {
        const at = hooks.findIndex(({ id }) => path.endsWith(`/${id}`));
        if (at < 0) return { status: 404, body: { error: { type: 'invalid_request_error' } } };
        const [gone] = hooks.splice(at, 1);
        return { status: 200, body: { id: gone?.id, object: 'webhook_endpoint', deleted: true } };
      }
      const key = String(headers['idempotency-key']);
      const before = repeated.get(key);
      if (before !== undefined) return before;
      const fields = new URLSearchParams(body);
      const events = fields.getAll('enabled_events[]');
      last++;
      const made = { id: `we_${last}`, url: fields.get('url') ?? '', secret: `whsec_${last}`, events };
      hooks.push(made);
      const answer = { status: 200, body: { ...shown(made), secret: made.secret } };
      repeated.set(key, answer);
      return answer;
    },
  };
}

function telegram(): Kind {
  return {
    wants: () => true,
    sign: ({ secret }) => ({ 'x-telegram-bot-api-secret-token': secret }),
    answer(hooks, { path, body }) {
      const ok = (result: unknown): Answer => ({ status: 200, body: { ok: true, result } });
      if (path.endsWith('/getWebhookInfo'))
        return ok({ url: hooks[0]?.url ?? '', has_custom_certificate: false, pending_update_count: 0 });
      if (path.endsWith('/deleteWebhook')) {
        hooks.length = 0;
        return ok(true);
      }
      const { url, secret_token, allowed_updates } = JSON.parse(body) as {
        url: string;
        secret_token: string;
        allowed_updates: string[];
      };
      hooks.length = 0;
      hooks.push({ id: '', url, secret: secret_token, events: allowed_updates });
      return ok(true);
    },
  };
}

const kinds: Readonly<Record<VendorName, () => Kind>> = { github, stripe, telegram };
