import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import ssh2 from 'ssh2';
import { onTestFinished } from 'vitest';
import {
  fingerprintOf,
  makeKey,
} from '../../server/integrations/connections/kinds/ssh/testing/ssh-server.ts';

/**
 * Servers that refuse everybody, and repeat in their errors what they were told: the worst that another side can do to the secret of
 * a connection.
 */
export type Gossip = 'redis' | 'smtp' | 'imap' | 'postgres' | 'mysql' | 'ssh' | 'http';

interface Gossiping {
  readonly port: number;
  /** Of its host key, for SSH. */
  readonly fingerprint: string;
  /** All bytes that it was told, as Latin-1. */
  heard(): string;
}

/** Starts one on a free port; it ends with the test. */
export async function startGossip(protocol: Gossip): Promise<Gossiping> {
  const heard: Buffer[] = [];
  const note = (bytes: Buffer): void => void heard.push(bytes);
  const server = servers[protocol](note);
  const ends: (() => void)[] = [];
  server.on('connection', (socket: Socket & { end(): void }) => {
    socket.on('error', () => {});
    ends.push(() => void socket.end());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const end of ends) end();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, fingerprint, heard: () => Buffer.concat(heard).toString('latin1') };
}

const hostKey = makeKey();
const fingerprint = fingerprintOf(hostKey.public);

type Note = (bytes: Buffer) => void;

const servers: Readonly<Record<Gossip, (note: Note) => Server>> = {
  redis: (note) =>
    talking(note, {
      answer: (text) => `-ERR I was told ${oneLine(text)}\r\n`.repeat(text.split('*').length - 1 || 1),
    }),
  smtp: (note) =>
    talking(note, {
      greeting: '220 gossip\r\n',
      answer: (text) =>
        text.startsWith('EHLO')
          ? '250-gossip\r\n250 AUTH PLAIN LOGIN\r\n'
          : `535 5.7.8 I was told ${oneLine(text)} that is ${decoded(text)}\r\n`,
    }),
  imap(note) {
    const greeting = '* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] gossip\r\n';
    // The line with the password has no tag of its own.
    let signingIn = '';
    return talking(note, {
      greeting,
      answer(text) {
        const [tag = '*', command] = text.trim().split(' ');
        if (command === 'CAPABILITY') return `* CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR\r\n${tag} OK\r\n`;
        if (command === 'AUTHENTICATE') {
          signingIn = tag;
          return '+ \r\n';
        }
        return `${command === undefined ? signingIn : tag} NO I was told ${oneLine(text)} that is ${decoded(text)}\r\n`;
      },
    });
  },
  postgres: (note) =>
    talking(note, {
      answer: (text) => {
        // A packet of the password begins with p, and the one before has no kind.
        if (!text.startsWith('p')) return Buffer.from('R\0\0\0\u0008\0\0\0\u0003', 'latin1');
        return postgresError(`I was told ${oneLine(text.slice(5))}`);
      },
    }),
  mysql: (note) =>
    talking(note, {
      greeting: mysqlPacket(0, mysqlGreeting),
      answer: (text) =>
        mysqlPacket(
          2,
          Buffer.concat([
            Buffer.from([0xff, 0x15, 0x04]),
            Buffer.from(`#28000I was told ${oneLine(text)}`, 'latin1'),
          ]),
        ),
    }),
  ssh: (note) =>
    new ssh2.Server({ hostKeys: [hostKey.private], greeting: 'gossip' }, (client) => {
      client.on('authentication', (attempt) => {
        if (attempt.method === 'password') note(Buffer.from(attempt.password));
        attempt.reject(['password']);
      });
    }) as unknown as Server,
  http: (note) =>
    createHttp((request, response) => {
      const told: Buffer[] = [];
      request.on('data', (chunk: Buffer) => told.push(chunk));
      request.on('end', () => {
        const said = { url: request.url, headers: request.headers, body: Buffer.concat(told).toString() };
        note(Buffer.from(JSON.stringify(said)));
        response.writeHead(401, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({ error: 'invalid_client', error_description: JSON.stringify(said), said }),
        );
      });
    }),
};

interface Talk {
  readonly greeting?: string | Buffer;
  readonly answer: (text: string) => string | Buffer;
}

function talking(note: Note, { greeting, answer }: Talk): Server {
  return createServer((socket) => {
    if (greeting !== undefined) socket.write(greeting);
    socket.on('data', (chunk) => {
      note(chunk);
      socket.write(answer(chunk.toString('latin1')));
    });
  });
}

function oneLine(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, ' ').trim();
}

/** What its words are in Base64, where they are. */
function decoded(text: string): string {
  return text
    .trim()
    .split(/\s/)
    .map((word) => oneLine(Buffer.from(word, 'base64').toString('latin1')))
    .join(' ');
}

function postgresError(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C28P01\0M${message}\0D${message}\0H${message}\0\0`, 'latin1');
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

const mysqlGreeting = Buffer.concat([
  Buffer.from([10]),
  Buffer.from('8.0.0\0'),
  Buffer.from([1, 0, 0, 0]),
  Buffer.from('12345678\0'),
  // Capabilities (protocol 4.1, secure connection, plugins), character set, status, length of the challenge.
  Buffer.from([0x08, 0x82, 33, 2, 0, 0x08, 0, 21]),
  Buffer.alloc(10),
  Buffer.from('123456789012\0'),
  Buffer.from('mysql_native_password\0'),
]);

function mysqlPacket(number: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([body.length & 0xff, body.length >> 8, 0, number]), body]);
}
