import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startSite } from './victim.ts';

export const USER = 'Mufasa';
export const PASSWORD = 'Circle of Life';

interface Options {
  /** Names of algorithms that it offers, in this order. */
  readonly algorithms?: readonly ('MD5' | 'SHA-256' | 'MD5-sess' | 'SHA-256-sess' | 'SHA-512-256')[];
  readonly qop?: string | undefined;
  /** How often it takes one nonce. */
  readonly uses?: number;
  readonly user?: string;
  readonly password?: string;
}

export interface DigestServer {
  readonly url: string;
  /** The requests in their order: the status of the answer, and the header that they had. */
  readonly came: { status: number; authorization: string }[];
  /** The bodies of those that were let in. */
  readonly bodies: string[];
}

const NAMES: Readonly<Record<string, string>> = {
  MD5: 'md5',
  'SHA-256': 'sha256',
  'SHA-512-256': 'sha512-256',
};

/**
 * A server that asks for HTTP Digest, and checks the answers as RFC 7616 describes them: response, nonce and its count, address and
 * body. It shares no code with the client.
 */
export async function startDigestServer(options: Options = {}): Promise<DigestServer> {
  const {
    algorithms = ['SHA-256', 'MD5'],
    qop = 'auth',
    uses = 1000,
    user = USER,
    password = PASSWORD,
  } = options;
  const counts = new Map<string, number>();
  const came: DigestServer['came'] = [];
  const bodies: string[] = [];

  const site = await startSite((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, Buffer.concat(chunks), response));
  });

  function answer(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const { authorization = '' } = request.headers;
    const isIn = isRight(request, body, authorization);
    came.push({ status: isIn ? 200 : 401, authorization });
    if (isIn) {
      bodies.push(body.toString());
      return void response.end(`hello ${request.url}`);
    }
    const nonce = randomBytes(12).toString('base64');
    counts.set(nonce, 0);
    const asks = algorithms.map((algorithm) =>
      [
        `Digest realm="a, \\"quoted\\" realm"`,
        ...(qop === undefined ? [] : [`qop="${qop}"`]),
        `algorithm=${algorithm}`,
        `nonce="${nonce}"`,
        'opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"',
      ].join(', '),
    );
    response.writeHead(401, { 'www-authenticate': ['Basic realm="other"', ...asks] }).end('no');
  }

  function isRight({ method = '', url = '' }: IncomingMessage, body: Buffer, header: string): boolean {
    if (!header.startsWith('Digest ')) return false;
    const field = (name: string): string =>
      new RegExp(`[ ,]${name}="((?:[^"\\\\]|\\\\.)*)"`).exec(header)?.[1]?.replaceAll(/\\(.)/g, '$1') ??
      new RegExp(`[ ,]${name}=([^ ,"]+)`).exec(header)?.[1] ??
      '';
    const algorithm = field('algorithm');
    const h = (text: string | Buffer): string =>
      createHash(NAMES[algorithm.replace('-sess', '')] ?? '')
        .update(text)
        .digest('hex');
    if (!algorithms.some((one) => one === algorithm)) return false;
    const [nonce, nc, cnonce] = [field('nonce'), field('nc'), field('cnonce')];
    const seen = counts.get(nonce);
    if (seen === undefined || field('uri') !== url || field('username') !== user) return false;
    if (qop !== undefined && (Number.parseInt(nc, 16) !== seen + 1 || nc.length !== 8)) return false;
    if (seen >= uses) return false;
    const secret = h(`${user}:${field('realm')}:${password}`);
    const first = algorithm.endsWith('-sess') ? h(`${secret}:${nonce}:${cnonce}`) : secret;
    const isWhole = field('qop') === 'auth-int';
    const second = h(`${method}:${url}${isWhole ? `:${h(body)}` : ''}`);
    const middle = qop === undefined ? nonce : `${nonce}:${nc}:${cnonce}:${field('qop')}`;
    if (field('response') !== h(`${first}:${middle}:${second}`)) return false;
    counts.set(nonce, seen + 1);
    return true;
  }

  return { url: site.url, came, bodies };
}
