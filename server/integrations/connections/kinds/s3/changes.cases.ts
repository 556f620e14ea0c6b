import { type Changes, proxyLine } from '../../testing/changes.ts';

export default {
  hidden: 'secretKey',
  lines: {
    endpoint: {
      from: 'https://s3.example.com',
      refused: ['https://elsewhere.example', 'http://s3.example.com', 'https://s3.example.com:8443'],
      taken: ['https://s3.example.com/'],
    },
    region: { from: 'eu', refused: ['us'] },
    bucket: { from: 'papers', refused: ['other'] },
    prefix: { from: 'a', taken: ['b'] },
    accessKey: { from: 'AK', refused: ['BK'] },
    addressing: { from: 'path', refused: ['virtual-host'] },
    timeoutMs: { from: 1000, taken: [2000] },
    ...proxyLine,
  },
  left: 'region',
} satisfies Changes;
