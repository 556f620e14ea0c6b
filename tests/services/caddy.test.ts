import { join } from 'node:path';
import { write } from '../support/flows.ts';
import { startProgram } from '../support/process.ts';
import { adapted, deployed, type ProxyPlace, testProxy } from './proxy-suite.ts';

// Caddy has no certificate for a name that it does not serve.
testProxy('caddy', { start, end: 'SIGTERM', foreign: /alert internal error/ });

function start({ folder, port, behind }: ProxyPlace) {
  const site = adapted(deployed('Caddyfile'), [
    [
      'weft.example.com {',
      `{\n\tadmin off\n\tauto_https disable_redirects\n}\nhttps://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${join(folder, 'pem')} ${join(folder, 'key')}`,
    ],
    ['reverse_proxy 127.0.0.1:5670', `reverse_proxy 127.0.0.1:${behind}`],
  ]);
  const config = write(folder, 'Caddyfile', site);
  const env = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  return startProgram('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], { env });
}
