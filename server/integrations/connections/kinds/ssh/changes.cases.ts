import { type Changes, serverLines } from '../../testing/changes.ts';

const { host, port, user, most, proxy } = serverLines;

export default {
  hidden: 'password',
  alsoHidden: ['privateKey', 'passphrase'],
  lines: {
    host,
    port,
    user,
    most,
    proxy,
    fingerprint: { from: `SHA256:${'a'.repeat(43)}`, refused: ['', `SHA256:${'b'.repeat(43)}`] },
    folder: { from: '/srv/a', taken: ['/srv/b', '~'] },
    timeoutMs: { from: 1000, taken: [2000] },
  },
  left: 'port',
} satisfies Changes;
