import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

const CAPABLE = 'IMAP4rev1 SPECIAL-USE';

/** A mailbox as LIST shows it. */
export interface ListedMailbox {
  readonly name: string;
  /** `\Archive`, `\Noselect`. */
  readonly flags?: readonly string[];
}

interface ImapServer {
  readonly port: number;
  /** The names of all mailboxes. */
  names(): readonly string[];
  /** The commands of clients, without their passwords. */
  readonly commands: readonly string[];
  close(): Promise<void>;
}

/** A server of IMAP that knows mailboxes and no mails, with the account `ada` and the password `right`. */
export async function startImap(given: readonly ListedMailbox[]): Promise<ImapServer> {
  const mailboxes = [...given];
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.write(`* OK [CAPABILITY ${CAPABLE}] ready\r\n`);
    let rest = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      rest += text;
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        answer(socket, rest.slice(0, end));
        rest = rest.slice(end + 2);
      }
    });
  });

  function answer(socket: Socket, line: string): void {
    const [tag = '', verb = '', ...words] = line.split(' ');
    const command = verb.toUpperCase();
    const args = words.join(' ');
    commands.push(command === 'LOGIN' ? command : `${command} ${args}`.trim());
    const say = (...lines: string[]): void => void socket.write(lines.map((one) => `${one}\r\n`).join(''));
    const listed = (): string[] =>
      mailboxes.map(({ name, flags = [] }) => `* ${command} (${flags.join(' ')}) "/" ${quoted(name)}`);
    if (command === 'CAPABILITY') return say(`* CAPABILITY ${CAPABLE}`, `${tag} OK done`);
    if (command === 'LOGIN')
      return say(/right/.test(args) ? `${tag} OK in` : `${tag} NO [AUTHENTICATIONFAILED] wrong`);
    if (command === 'LIST' && args.endsWith('""')) return say('* LIST (\\Noselect) "/" ""', `${tag} OK done`);
    if (command === 'LIST' || command === 'LSUB') return say(...listed(), `${tag} OK done`);
    if (command === 'CREATE') return say(`${tag} ${create(args)}`);
    if (command === 'LOGOUT') return say('* BYE', `${tag} OK done`);
    return say(`${tag} OK done`);
  }

  function create(args: string): string {
    const name = args.replace(/^"|"$/g, '').replaceAll(/\\(["\\])/g, '$1');
    if (mailboxes.some((one) => one.name === name)) return 'NO [ALREADYEXISTS] there is one';
    mailboxes.push({ name });
    return 'OK made';
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    names: () => mailboxes.map(({ name }) => name),
    commands,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function quoted(name: string): string {
  return `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
