import { weftCommand } from '../../access/http/version.ts';
import { htmlPage } from '../../base/pages/html.ts';

/** Pages for people who arrive without a built editor or with a used link, without scripts. */
function page(title: string, body: string): string {
  return htmlPage(title, `<h1>${title}</h1>\n${body}`);
}

export function landingPage(): string {
  return page(
    'Weft is running',
    `<p>The editor is not built yet. <code>npm start</code> builds it; <code>node server</code> alone does not.</p>
<h2>Without the editor</h2>
<ul>
<li>Flow files in the <code>flows</code> folder are served as they are; changes go live when a file is saved.</li>
<li>A trigger answers at <code>/api/v1/awel/trigger/&lt;path&gt;</code>.</li>
<li><a href="/healthz">/healthz</a> and <a href="/readyz">/readyz</a> report the health of the server, <a href="/metrics">/metrics</a> its metrics.</li>
<li><code>${weftCommand} --help</code> lists the commands; <code>node server --help</code> lists the settings.</li>
</ul>`,
  );
}

export function usedLinkPage(hasPassword: boolean): string {
  const byPassword = hasPassword
    ? '<p>Or open <a href="/">the start page</a> and sign in with the admin password.</p>'
    : '';
  return page(
    'This link was already used, or has expired',
    `<p>A link signs in one browser, once, within 15 minutes. Run <code>${weftCommand} open</code> on the server’s machine to print a new one.</p>
${byPassword}`,
  );
}
