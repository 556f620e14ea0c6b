import { join } from 'node:path';
import { write } from '../support/flows.ts';
import { startProgram } from '../support/process.ts';
import { adapted, deployed, type ProxyPlace, testProxy } from './proxy-suite.ts';

testProxy('nginx', { start, end: 'SIGQUIT', foreign: /"err_code":"bad_host"/ });

function start({ folder, port, behind }: ProxyPlace) {
  const site = adapted(deployed('nginx.conf'), [
    ['server 127.0.0.1:5670;', `server 127.0.0.1:${behind};`],
    ['listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`],
    ['server_name weft.example.com;', 'server_name localhost;'],
    ['/etc/ssl/weft.example.com.pem', join(folder, 'pem')],
    ['/etc/ssl/weft.example.com.key', join(folder, 'key')],
  ]);
  write(folder, 'weft.conf', site);
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join(' ');
  const main = `${user} daemon off; worker_processes 1; pid ${join(folder, 'pid')};
events {} http { access_log off; ${temp} include ${join(folder, 'weft.conf')}; }`;
  const config = write(folder, 'nginx.conf', main);
  const script = 'PATH=$PATH:/usr/sbin exec nginx "$@"';
  return startProgram('sh', ['-c', script, 'nginx', '-p', folder, '-e', 'stderr', '-c', config]);
}
