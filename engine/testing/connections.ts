import { type ConnectionService, type ConnectionAsk } from '../base/services.ts';
import { WeftError } from '../base/errors.ts';
import { exampleMail } from '../operators/mail/_example.ts';

/** The Redis `cache` with two values. */
const stored = new Map([
  ['greeting', 'Hello'],
  ['user:7', '{"name":"Ada","visits":3}'],
]);

/** A mail server that accepts every mail. */
const sentMail = ({ to }: Readonly<Record<string, unknown>>) => ({
  messageId: '<1@example.com>',
  accepted: (to as readonly string[]).map((text) => /<(.*)>/.exec(text)?.[1] ?? text),
  rejected: [],
  response: '250 OK',
});

/** The only mail in its mailbox; its place is told beside the list. */
const { mailbox: _mailbox, validity: VALIDITY, ...storedMail } = exampleMail;

/** The commands of the SSH server `box`. */
const commands: Readonly<Record<string, object>> = {
  hostname: { stdout: 'web-1\n', stderr: '', code: 0, signal: null },
  "echo 'Ada'\\''s; rm -rf /'": { stdout: "Ada's; rm -rf /\n", stderr: '', code: 0, signal: null },
  'grep root /etc/nothing': { stdout: '', stderr: 'No such file or directory\n', code: 2, signal: null },
};

/** What the connections of examples answer: by kind and action. */
const answers: Readonly<Record<string, (given: Readonly<Record<string, unknown>>) => unknown>> = {
  'redis.get': ({ key }) => stored.get(String(key)) ?? null,
  'redis.set': ({ key, when }) => when === 'always' || (when === 'present') === stored.has(String(key)),
  'smtp.send': sentMail,
  'imap.list': ({ mailbox, from }) => {
    const mails = from === undefined || from === 'ada' ? [storedMail] : [];
    return { mailbox, validity: VALIDITY, next: 8, total: mails.length, mails };
  },
  'imap.source': ({ uid }) => {
    if (uid !== storedMail.uid) throw new WeftError('action_failed', 'There is no such mail.');
    return { ...storedMail, source: new TextEncoder().encode('Subject: An order\n\nTwo cups, please.') };
  },
  'imap.change': () => true,
  'ssh.run': ({ command }) => commands[String(command)] ?? { stdout: '', stderr: '', code: 0, signal: null },
};

/** The connections of examples, with their kinds. */
const kinds: Readonly<Record<string, string>> = { cache: 'redis', post: 'smtp', inbox: 'imap', box: 'ssh' };

export const exampleConnections: ConnectionService = {
  async ask({ connection, kind, action, given }: ConnectionAsk, _by, signal) {
    await Promise.resolve();
    signal.throwIfAborted();
    const answer = kinds[connection] === kind ? answers[`${kind}.${action}`] : undefined;
    if (answer === undefined)
      throw new WeftError('connection_missing', `There is no connection ${connection}.`);
    return answer(given);
  },
};
