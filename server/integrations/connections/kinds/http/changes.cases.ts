import { type Changes, proxyLine } from '../../testing/changes.ts';

export default {
  hidden: 'secret',
  lines: {
    address: {
      from: 'https://api.example.com/v1',
      refused: [
        'https://elsewhere.example/v1',
        'http://api.example.com/v1',
        'https://api.example.com:8443/v1',
      ],
      taken: ['https://api.example.com/v2'],
    },
    auth: { from: 'bearer', refused: ['header', 'basic'] },
    user: { from: 'u', refused: ['v'] },
    header: { from: 'X-Key', refused: ['X-Log'] },
    headers: { from: { 'X-A': '1' }, taken: [{ 'X-A': '2' }] },
    testPath: { from: '/me', taken: ['/you'] },
    timeoutMs: { from: 1000, taken: [2000] },
    ...proxyLine,
  },
  left: 'header',
} satisfies Changes;
