import { type Changes, proxyLine } from '../../testing/changes.ts';

const at = 'https://login.example.com';

export default {
  hidden: 'secret',
  lines: {
    provider: { from: 'other', refused: ['google'] },
    grant: { from: 'code', refused: ['client'] },
    clientId: { from: 'one', refused: ['two'] },
    scopes: { from: ['a'], taken: [['b']] },
    tenant: { from: 'mine', refused: ['yours'] },
    subject: { from: 'ada@example.com', taken: ['eve@example.com'] },
    issuer: { from: at, refused: ['https://elsewhere.example'] },
    authorizeUrl: { from: `${at}/a`, refused: [`${at}/b`] },
    tokenUrl: { from: `${at}/t`, refused: ['https://elsewhere.example/t'] },
    deviceUrl: { from: `${at}/d`, refused: [`${at}/e`] },
    revokeUrl: { from: `${at}/r`, refused: ['https://elsewhere.example/r'] },
    accountUrl: { from: `${at}/me`, refused: ['https://elsewhere.example/me'] },
    clientAuth: { from: 'basic', refused: ['post'] },
    parameters: { from: { audience: 'a' }, refused: [{ audience: 'b' }] },
    address: { from: 'https://api.example.com', refused: ['https://elsewhere.example'] },
    headers: { from: { 'X-A': '1' }, taken: [{ 'X-A': '2' }] },
    timeoutMs: { from: 1000, taken: [2000] },
    ...proxyLine,
  },
  left: 'clientId',
} satisfies Changes;
