import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BASE, renderPage } from '../../docs/site/render.ts';
import { placePages, readSite, type Site, type SitePage } from '../../docs/site/pages.ts';
import { searchFile } from '../../docs/site/search.ts';
import { searchIn } from '../../editor/help/search-rules.ts';
import {
  DOCK_HELP,
  errorHelp,
  GROUPS_WITH_PAGES,
  operatorHelp,
  problemHelp,
  SCREEN_HELP,
  screenHelp,
} from '../../editor/model/help-pages.ts';
import { SCREEN_GROUPS } from '../../editor/shell/screens.ts';
import { DOCK_TABS } from '../../editor/state/ui-store.ts';
import type { OperatorInfo } from '#shared/catalog.ts';
import { errorTable } from '#shared/errors.ts';
import { ProblemCode } from '#shared/problem.ts';
import { root } from '../support/server.ts';

/** The help that is made from `docs/`, and what the editor says of it. */
const SERVICES = 'server/integrations/services/catalog';
const site = readSite();
const rendered = new Map([...site.pages.values()].map((page) => [page, renderPage(page, site)]));
const byAddress = new Map([...site.pages.values()].map((page) => [page.address, page]));

/** Whether `keys#the-browser` is there. */
function isThere(place: string): boolean {
  const [address = '', anchor = ''] = place.split('#', 2);
  const page = byAddress.get(address);
  const anchors = page && rendered.get(page)?.anchors;
  return anchors !== undefined && (anchor === '' || anchors.has(anchor));
}

describe('the order of pages', () => {
  const order = (...pages: string[]) => ({
    leftOut: ['x/*.md'],
    sections: [{ title: 'A', groups: [{ pages }] }],
  });

  test('each page has an address of its own, and the sections come in the order of readers', () => {
    expect(byAddress.size).toBe(site.pages.size);
    expect(site.sections.map(({ title }) => title)).toEqual(
      ['Start', 'Tutorial', 'How-to', 'Reference', 'Operating', 'Coming from', 'Why'].filter((title) =>
        [...site.pages.values()].some(({ section }) => section === title),
      ),
    );
    expect(byAddress.get('')?.file).toBe('docs/README.md');
    expect(byAddress.get('reference')?.file).toBe('docs/reference/README.md');
    expect(byAddress.get('security')?.file).toBe('SECURITY.md');
  });

  test('a pattern takes the pages that nobody names, by their names', () => {
    const { places, problems } = placePages(order('b.md', 'how/*.md', '*.md'), [
      'a.md',
      'b.md',
      'how/c.md',
      'how/d.md',
      'x/y.md',
    ]);
    expect(Object.fromEntries(places)).toEqual({
      'b.md': ['b.md'],
      '*.md': ['a.md'],
      'how/*.md': ['how/c.md', 'how/d.md'],
      'x/*.md': ['x/y.md'],
    });
    expect(problems).toEqual([]);
  });

  test.each([
    ['a page in no place', order('b.md'), ['a.md', 'b.md'], 'a.md must have one place; it has none.'],
    [
      'a page in two',
      order('a*.md', '*b.md'),
      ['ab.md'],
      'ab.md must have one place; it has a*.md and *b.md.',
    ],
    ['a page named twice', order('a.md', 'a.md'), ['a.md'], 'a.md is named twice.'],
    ['a page that is gone', order('a.md'), [], 'a.md is not there.'],
  ])('%s is a problem', (_, given, found, problem) => {
    expect(placePages(given, found).problems).toEqual([problem]);
  });

  test('a page in no place is shown all the same', () => {
    expect(placePages(order('b.md'), ['a.md', 'b.md']).places.get('b.md')).toEqual(['b.md', 'a.md']);
  });

  test('has no problem', () => expect(site.problems).toEqual([]));
});

describe('the pages', () => {
  test('each link between them leads to a page and a heading', () => {
    const dead = [...rendered].flatMap(([page, { links }]) =>
      links
        .map(({ file, anchor }) => `${site.pages.get(file)?.address}#${anchor}`)
        .filter((place) => !isThere(place))
        .map((place) => `${page.file}: ${place}`),
    );
    expect(dead).toEqual([]);
  });

  test('each link leads into the help, out to the web, or to a heading of the page', () => {
    const hrefs = [...rendered].flatMap(([{ file }, { html }]) =>
      [...html.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => `${file}: ${href}`),
    );
    expect(hrefs.length).toBeGreaterThan(1000);
    expect(hrefs.filter((href) => !/: (?:\/help(?:[/#]|$)|https?:|mailto:|#)/.test(href))).toEqual([]);
  });

  test('each picture is there', () => {
    const sources = [...rendered.values()].flatMap(({ html }) =>
      [...html.matchAll(/<img src="([^"]*)"/g)].map(([, src = '']) => src),
    );
    expect(sources.length).toBeGreaterThan(1);
    expect(
      sources.filter((src) => !existsSync(join(root, 'docs/images', src.replace(`${BASE}/images/`, '')))),
    ).toEqual([]);
  });
});

describe('a page', () => {
  const pageOf = (text: string, file = 'docs/deep/page.md'): SitePage => ({
    file,
    address: 'deep/page',
    section: 'Start',
    title: 'Page',
    text,
  });
  const other: SitePage = { ...pageOf('# Other', 'docs/other.md'), address: 'other', title: 'Other things' };
  const folder: SitePage = { ...pageOf('# All', 'docs/deep/README.md'), address: 'deep' };
  const own: Site = {
    sections: [],
    problems: [],
    pages: new Map([pageOf(''), other, folder].map((page) => [page.file, page])),
  };
  const shown = (text: string): string => renderPage(pageOf(text), own).html.trim();

  test.each([
    ['a page', '[x](../other.md)', '<p><a href="/help/other">x</a></p>'],
    ['a heading of a page', '[x](../other.md#a-b)', '<p><a href="/help/other#a-b">x</a></p>'],
    [
      'a page by the name of its file',
      '[other.md](../other.md)',
      '<p><a href="/help/other">Other things</a></p>',
    ],
    ['a folder', '[x](../deep/)', '<p><a href="/help/deep">x</a></p>'],
    ['this page', '[x](#here)', '<p><a href="#here">x</a></p>'],
    [
      'the web',
      '[x](https://example.com/a)',
      '<p><a href="https://example.com/a" rel="noopener noreferrer">x</a></p>',
    ],
    [
      'a file of the sources',
      '[`x`](../../server/a.ts)',
      '<p><span class="source" title="server/a.ts in the source code"><code>x</code></span></p>',
    ],
    ['an address of the server', '[x](/api/v1/flows)', expect.stringContaining('<span class="source"')],
    ['code', '[x](javascript:alert)', '<p>[x](javascript:alert)</p>'],
  ])('a link to %s', (_, text, html) => expect(shown(text)).toEqual(html));

  test('HTML in it is text', () => {
    expect(shown('<script>x</script> & <b>')).toBe('<p>&lt;script&gt;x&lt;/script&gt; &amp; &lt;b&gt;</p>');
  });

  test('headings have the anchors that they have on GitHub, each its own', () => {
    const { anchors, outline } = renderPage(
      pageOf('# A `b`\n## http.get: X & y\n### Same\n### Same\n#### Deep'),
      own,
    );
    expect([...anchors]).toEqual(['a-b', 'httpget-x--y', 'same', 'same-1', 'deep']);
    expect(outline.map(({ anchor }) => anchor)).toEqual(['httpget-x--y', 'same', 'same-1']);
  });

  test('a row of a table of codes has an anchor, and is found by itself', () => {
    const text =
      '# T\n\nBefore.\n\n| code | m |\n|---|---|\n| `a_b` | is one |\n\nAfter.\n\n| input | m |\n|---|---|\n| `in` | x |';
    const { anchors, parts, html } = renderPage(pageOf(text), own);
    expect([...anchors]).toEqual(['t', 'a_b']);
    expect(html).toContain('<tr id="a_b">');
    expect(parts.map(({ anchor, text: part }) => [anchor, part])).toEqual([
      ['', 'Before. code m'],
      ['a_b', 'a_b is one'],
      ['', 'After. input m in x'],
    ]);
  });

  test('code is coloured where its language is known, and stays text', () => {
    expect(shown('```json\n{"a": "<b>"}\n```')).toContain(
      '<span class="tok-string">&quot;&lt;b&gt;&quot;</span>',
    );
    expect(shown('```sh\nnpm <start>\n```')).toContain('npm &lt;start&gt;');
  });
});

describe('the search', () => {
  const ask = searchIn(searchFile(rendered));
  const found = (text: string): string[] => ask(text).map(({ place }) => place.address.replace('/help/', ''));

  test.each([
    ['upload a spreadsheet', /^(?:how-to\/|tables|files)/],
    ['WEFT_PORT', /^reference\/settings#WEFT_PORT$/],
    ['flow_not_found', /^reference\/errors#flow_not_found$/],
    ['http.request', /^reference\/operators\/http#httprequest$/],
    ['how do I back up a server?', /^backup/],
    ['dead letters', /^calling#failures/],
    ['scedule', /schedule/i],
  ])('“%s” finds it among the first five', (text, place) => {
    expect(found(text).slice(0, 5)).toEqual(expect.arrayContaining([expect.stringMatching(place)]));
  });

  // The words of people who are new here, not those of the pages.
  test.each([
    ['how do I run a flow every morning?', /^(?:schedules|reference\/operators\/trigger#triggerschedule)$/],
    ['send an email with attachment', /^how-to\/mail-with-attachment/],
    ['connect to postgres', /^connections#postgresql$/],
    ['call an api', /^how-to\/call-an-api-for-each-row/],
    ['webhook from stripe', /^how-to\/signed-webhook/],
    ['approve before sending', /^how-to\/approve-before-sending/],
    ['retry when a request fails', /^how-to\/retry-and-fall-back/],
    ['loop over rows', /^lists/],
    ['import n8n workflow', /^import-export#workflows-of-n8n$/],
    ['upgrade to a new version', /^upgrade/],
    ['change the port', /^reference\/settings#WEFT_PORT$/],
    ['where is my data stored', /^architecture#where-data-are-stored$/],
    ['make a chatbot from pdf', /^how-to\/ask-about-pdfs/],
    ['forgot the api key', /^keys#api-keys$/],
    ['deploy with docker', /^deploy#image$/],
    ['undo publish', /^(?:runs#draft-and-live|tutorial#4)/],
    ['why did my run fail', /^how-to\/react-to-failed-runs/],
    ['google sheets', /^reference\/services\/google-sheets$/],
    ['limit how often somebody calls', /^calling#rate-limits/],
    ['reverse proxy nginx', /^deploy#behind-a-proxy$/],
    ['timeout of a flow', /^calling#how-long-timeoutms$/],
    ['stop a running flow', /^runs#stop-a-run$/],
    ['format a date', /^reference\/expressions#dates$/],
    ['import csv into database', /^how-to\/upload-a-spreadsheet/],
    ['excel file to postgres table', /^how-to\/upload-a-spreadsheet/],
    ['contact form', /^(?:how-to\/form-with-files|forms)/],
    ['form with photo', /^(?:how-to\/form-with-files|forms#files)/],
    ['receive github webhook', /^(?:how-to\/signed-webhook|keys#triggers)/],
    ['imap', /^(?:how-to\/watch-a-mailbox|connections#mail)/],
    ['fetch data every hour', /^how-to\/api-into-a-table/],
    ['sync api to database', /^how-to\/api-into-a-table/],
    ['combine two data sources', /^how-to\/merge-two-sources/],
    ['reuse a workflow', /^how-to\/call-a-flow-from-another/],
    ['subflow', /^(?:how-to\/call-a-flow|reference\/operators\/flow|lists)/],
    ['remember last id', /^how-to\/remember-between-runs/],
    ['run python script', /^(?:how-to\/run-python|python)/],
    ['return html page', /^how-to\/answer-with-a-page/],
    ['download a csv', /^how-to\/answer-with-a-page/],
    ['ssh', /^(?:connections#ssh|reference\/operators\/ssh)/],
    ['sftp', /^(?:connections#ssh|files)/],
    ['smtp', /^(?:connections|reference\/connections|how-to\/mail)/],
    ['wait for callback', /^(?:how-to\/wait-for-another-system|waiting)/],
    ['classify text with ai', /^how-to\/classify-and-route/],
    ['ask questions about documents', /^(?:how-to\/ask-about-pdfs|knowledge)/],
    ['agent with tools', /^(?:how-to\/agent-that-asks-first|agents)/],
    ['openai python client', /^how-to\/openai-sdk/],
    ['use claude desktop', /^how-to\/mcp-tools/],
    ['service is down fallback', /^how-to\/retry-and-fall-back/],
    ['error handling', /^(?:how-to\/(?:retry|react)|calling#failures)/],
    ['get notified when a workflow fails', /^how-to\/react-to-failed-runs/],
    ['rate limit per key', /^(?:how-to\/limit-who-may-call|calling#rate)/],
    ['staging and production', /^how-to\/(?:from-test|secrets)/],
    ['unit test a workflow', /^(?:how-to\/test-in-ci|testing)/],
    ['github actions', /^how-to\/test-in-ci/],
    ['telegram bot', /^reference\/services\/telegram/],
    ['delete old runs', /^runs/],
    ['google login oauth', /^oauth/],
    ['upload file s3', /^connections#s3/],
  ])('“%s” finds it among the first three', (text, place) => {
    expect(found(text).slice(0, 3)).toEqual(expect.arrayContaining([expect.stringMatching(place)]));
  });

  test('a word that is nowhere finds nothing', () => {
    expect(found('xyzzyplugh')).toEqual([]);
  });
});

describe('the editor', () => {
  test('knows a page for each screen and each tab below the canvas', () => {
    const screens = SCREEN_GROUPS.flatMap(({ screens: all }) => all.map(({ to }) => to));
    expect(screens.filter((to) => !Object.hasOwn(SCREEN_HELP, to))).toEqual([]);
    expect(Object.keys(DOCK_HELP).sort()).toEqual([...DOCK_TABS].sort());
    const places = [...Object.values(SCREEN_HELP), ...Object.values(DOCK_HELP)];
    expect(places.filter((place) => !isThere(place))).toEqual([]);
  });

  test('a screen within another one has its page, unless it has one of its own', () => {
    expect(['/knowledge/a/b', '/runs/r1', '/runs/compare', '/flows/x', '/nowhere'].map(screenHelp)).toEqual([
      'knowledge',
      'runs',
      'replay',
      SCREEN_HELP['/flows'],
      '',
    ]);
  });

  test('knows a section for each operator that comes with it', () => {
    const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));
    const own = read('engine/operators/catalog.json') as Record<string, { info: OperatorInfo }>;
    const services = readdirSync(join(root, SERVICES)).map((file) => read(join(SERVICES, file)));
    const infos = [
      ...Object.values(own).map(({ info }) => info),
      ...(services as Record<string, OperatorInfo>[]).flatMap((of) => Object.values(of)),
    ];
    expect(infos.length).toBeGreaterThan(200);
    expect(infos.map((info) => operatorHelp(info) ?? info.type).filter((place) => !isThere(place))).toEqual(
      [],
    );
    const groups = Object.values(GROUPS_WITH_PAGES).flat();
    expect(groups.filter((group) => !infos.some((info) => info.type.startsWith(`${group}.`)))).toEqual([]);
    expect(operatorHelp({ type: 'own.thing' } as OperatorInfo)).toBeUndefined();
    expect(operatorHelp({ type: 'http.more', package: 'weft-more' } as OperatorInfo)).toBeUndefined();
  });

  test('knows the row of each code', () => {
    const places = [...Object.keys(errorTable).map(errorHelp), ...ProblemCode.options.map(problemHelp)];
    expect(places.length).toBeGreaterThan(200);
    expect(places.filter((place) => !isThere(place))).toEqual([]);
  });
});
