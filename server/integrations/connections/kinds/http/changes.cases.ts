import { type Changes, proxyLine } from '../../testing/changes.ts';
import { certificate } from '../../testing/self-signed.ts';

export default {
  hidden: 'secret',
  alsoHidden: ['clientCertificate'],
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
    auth: { from: 'bearer', refused: ['header', 'basic', 'digest', 'aws'] },
    user: { from: 'u', refused: ['v'] },
    header: { from: 'X-Key', refused: ['X-Log'] },
    region: { from: 'eu-central-1', refused: ['us-east-1'] },
    service: { from: 'execute-api', refused: ['s3'] },
    ca: { from: certificate, refused: [`${certificate}${certificate}`] },
    headers: { from: { 'X-A': '1' }, taken: [{ 'X-A': '2' }] },
    testPath: { from: '/me', taken: ['/you'] },
    timeoutMs: { from: 1000, taken: [2000] },
    ...proxyLine,
  },
  left: 'header',
} satisfies Changes;
