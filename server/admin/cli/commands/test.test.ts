import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../program.ts';
import { flowText, map, type TempProject, tempProject } from '../testing/temp-project.ts';
import { testIo } from '../testing/test-io.ts';

let project: TempProject;

beforeEach(() => {
  project = tempProject();
});
afterEach(() => project.remove());

async function weft(...args: string[]) {
  const io = testIo(project.folder);
  const code = await runCli(args, io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

/** start → fetch (outside) → priced → total; start → note. */
const shop = (price = '{{ input.price * 2 }}') =>
  flowText(
    'shop',
    {
      start: { operator: 'trigger.manual' },
      fetch: { operator: 'http.request', params: { url: 'https://shop.example/{{ input.item }}' } },
      priced: map(price),
      total: map('{{ input + 1 }}'),
      note: { operator: 'core.log', params: { message: 'asked for {{ input.item }}' } },
    },
    ['start > fetch', 'fetch.body > priced', 'priced > total', 'start > note'],
  );

const apple = (expect: object, more: object = {}) => ({
  name: 'an apple',
  input: { item: 'apple' },
  outputs: { fetch: { body: { price: 3 } } },
  expect,
  ...more,
});

const tests = (...cases: object[]) => JSON.stringify({ format: 1, cases });

function write(...cases: object[]): void {
  project.write('flows/shop.json', shop());
  project.write('flows/shop.test.json', tests(...cases));
}

const right = { outputs: { priced: { out: 6 }, total: { out: 7 } } };

describe('weft test', () => {
  test('answers for the outside, and passes when what comes out is what was expected', async () => {
    write(apple(right));
    expect(await weft('test')).toEqual({ code: 0, out: '✓ shop: an apple\n1 passed, 0 failed\n', err: '' });
  });

  test('a changed node turns the expectations that depend on it red, and no others', async () => {
    write(apple({ outputs: { ...right.outputs, note: { out: { item: 'apple' } } } }));
    expect((await weft('test')).out).toContain('1 passed');
    project.write('flows/shop.json', shop('{{ input.price * 3 }}'));
    const { code, out } = await weft('test', 'flows/shop.json');
    expect(code).toBe(1);
    expect(out).toBe(
      '✗ shop: an apple\n    priced.out: expected 6, got 9\n    total.out: expected 7, got 10\n0 passed, 1 failed\n',
    );
  });

  test('--update writes what came out, and only where the test looked', async () => {
    write(apple({ outputs: { total: { out: 0 } } }), {
      name: 'a pear',
      input: { item: 'pear' },
      outputs: { fetch: { body: { price: 1 } } },
      expect: { outputs: { total: { out: 3 } } },
    });
    const { code, out } = await weft('test', '--update');
    expect({ code, out }).toEqual({
      code: 0,
      out: '↻ shop: an apple (updated)\n✓ shop: a pear\n2 passed, 0 failed\n',
    });
    const written = JSON.parse(project.read('flows/shop.test.json'));
    expect(written.cases[0].expect).toMatchObject({ status: 'ok', outputs: { total: { out: 7 } } });
    expect(written.cases[1].expect).toMatchObject({ outputs: { total: { out: 3 } } });
    expect((await weft('test')).code).toBe(0);
  });

  test('a node that would reach outside fails, with what the test should say', async () => {
    write({ name: 'nothing given', input: { item: 'apple' }, expect: {} });
    const { code, out } = await weft('test');
    expect(code).toBe(1);
    expect(out).toContain('fetch failed with service_missing');
    expect(out).toContain('set the outputs of fetch in `outputs` of the test');
  });

  test('a node can be made to fail', async () => {
    write(
      apple(
        { status: 'failed', error: 'http_status' },
        { outputs: {}, errors: { fetch: { code: 'http_status', message: '503' } } },
      ),
    );
    expect(await weft('test')).toMatchObject({ code: 0 });
  });

  test('a wait of an hour needs no time, and the clock is the one of the test', async () => {
    const nodes = {
      start: { operator: 'trigger.manual' },
      wait: { operator: 'logic.delay', params: { ms: 3_600_000 } },
      said: map('{{ run.startedAt }}'),
    };
    project.write('flows/late.json', flowText('late', nodes, ['start > wait', 'wait > said']));
    const one = {
      name: 'an hour',
      input: 1,
      now: '2026-03-01T12:00:00Z',
      expect: { outputs: { said: { out: 0 } } },
    };
    project.write('flows/late.test.json', tests(one));
    await weft('test', '--update');
    const expected = JSON.parse(project.read('flows/late.test.json')).cases[0].expect.outputs.said.out;
    expect(expected).toBe(Date.parse('2026-03-01T12:00:00Z'));
    expect((await weft('test')).code).toBe(0);
  });

  test('code runs in the sandbox, where it reaches nothing', async () => {
    const nodes = {
      start: { operator: 'trigger.manual' },
      code: { operator: 'code.run', params: { source: 'return { twice: input * 2 };' } },
    };
    project.write('flows/coded.json', flowText('coded', nodes, ['start > code']));
    project.write(
      'flows/coded.test.json',
      tests({ name: 'twice', input: 4, expect: { answer: { twice: 8 } } }),
    );
    expect(await weft('test')).toMatchObject({ code: 0, out: expect.stringContaining('1 passed') });
  });

  test('--coverage lists the parts that no test reached', async () => {
    const nodes = {
      start: { operator: 'trigger.manual' },
      old: { operator: 'logic.if', params: { condition: '{{ input.age >= 18 }}' } },
      yes: map('yes'),
      no: map('no'),
    };
    project.write(
      'flows/ages.json',
      flowText('ages', nodes, ['start > old', 'old.then > yes', 'old.else > no']),
    );
    project.write(
      'flows/ages.test.json',
      tests({ name: 'grown', input: { age: 20 }, expect: { answer: 'yes' } }),
    );
    const { out } = await weft('test', '--coverage');
    expect(out).toContain(
      'ages: 3 of 4 nodes, 2 of 3 edges, 1 of 2 branches\n    never: no, old.else > no.in',
    );
    const strict = await weft('test', '--coverage-min', '60');
    expect(strict).toMatchObject({
      code: 1,
      err: 'ages: 50 % of the branches are covered, --coverage-min requires 60 %.\n',
    });
    expect((await weft('test', '--coverage-min', '50')).code).toBe(0);
    expect((await weft('test', '--coverage-min', 'all')).code).toBe(2);
  });

  test('--junit writes what build servers read, whatever the texts hold', async () => {
    write(apple(right), apple({ outputs: { total: { out: '<&">\u0001' } } }, { name: 'odd <&"> \u0001' }));
    expect((await weft('test', '--junit', 'out.xml')).code).toBe(1);
    const xml = project.read('out.xml');
    expect(xml).toContain('<testsuites tests="2" failures="1"');
    expect(xml).toContain('name="odd &#60;&#38;&#34;&#62; \uFFFD"');
    expect(xml).not.toContain('\u0001');
    expect((await weft('test', '--junit', 'none/out.xml')).code).toBe(2);
  });

  test('reports the fault in a file of tests, and tests the others', async () => {
    write(apple(right));
    project.write('flows/other.json', flowText('other', { start: { operator: 'trigger.manual' } }, []));
    project.write('flows/other.test.json', tests({ name: 'x', expects: {} }));
    const { code, out } = await weft('test');
    expect(code).toBe(1);
    expect(out).toContain('other.test.json: cases.0');
    expect(out).toContain('1 passed, 0 failed, 1 file without a run');
  });

  test('runs several at once, and reports them in the order of the file', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `code ${i}`);
    const code = (i: number) => ({
      start: { operator: 'trigger.manual' },
      code: { operator: 'code.run', params: { source: `return input + ${i};` } },
    });
    for (const i of [0, 1, 2]) {
      project.write(`flows/sum_${i}.json`, flowText(`sum_${i}`, code(i), ['start > code']));
      const cases = names.map((name, n) => ({ name, input: n, expect: { answer: n + i } }));
      project.write(`flows/sum_${i}.test.json`, tests(...cases));
    }
    const oneByOne = await weft('test', '--workers', '1');
    expect(oneByOne.out).toContain('36 passed, 0 failed');
    expect(await weft('test', '--workers', '36')).toEqual(oneByOne);
    expect(await weft('test', '--workers', '0')).toMatchObject({
      code: 2,
      err: expect.stringContaining('from 1'),
    });
  });

  test('--bail begins none after one has failed, and prints how many are left', async () => {
    write(
      apple(right),
      apple({ answer: 0 }, { name: 'wrong' }),
      apple(right, { name: 'third' }),
      apple(right, { name: 'fourth' }),
    );
    const { code, out } = await weft('test', '--bail', '--workers', '1');
    expect(code).toBe(1);
    expect(out).toMatch(/^✓ shop: an apple\n✗ shop: wrong\n(?: {4}.*\n)+1 passed, 1 failed, 2 not run\n$/);
  });

  test('--grep runs those whose name it is found in, and --update leaves the others as they are', async () => {
    const wrong = { outputs: { total: { out: 0 } } };
    write(apple(wrong), apple(wrong, { name: 'a pear' }));
    expect((await weft('test', '--grep', '^shop: a p', '--update')).out).toBe(
      '↻ shop: a pear (updated)\n1 passed, 0 failed\n',
    );
    const { cases } = JSON.parse(project.read('flows/shop.test.json'));
    expect(cases).toMatchObject([
      { name: 'an apple', expect: wrong },
      { name: 'a pear', expect: { outputs: { total: { out: 7 } } } },
    ]);
    expect(await weft('test', '--grep', 'typo')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('none of the 2 tests matches typo'),
    });
    expect(await weft('test', '--grep', '(')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--grep'),
    });
  });

  test('expressions see the clock of the test, in the zone of the project', async () => {
    const nodes = {
      start: { operator: 'trigger.manual' },
      times: { operator: 'core.map', params: { value: '{{ [now(), clock(), today("Asia/Tokyo")] }}' } },
    };
    project.write('flows/times.json', flowText('times', nodes, ['start > times']));
    const answer = [
      '2026-07-01T22:00:00.000+02:00',
      '2026-07-01T22:00:00.000+02:00',
      '2026-07-02T00:00:00.000+09:00',
    ];
    const now = '2026-07-01T20:00:00Z';
    project.write(
      'flows/times.test.json',
      JSON.stringify({ format: 1, cases: [{ name: 'a day', now, expect: { answer } }] }),
    );
    const io = testIo(project.folder, { env: { WEFT_TIMEZONE: 'Europe/Oslo' } });
    expect(await runCli(['test', 'flows/times.json'], io)).toBe(0);
  });

  test('code sees the clock of the test, and the same chance each time', async () => {
    const source = `const before = [ctx.now(), Date.now(), new Date().toISOString(), new Date(0).getTime(), new Date() instanceof Date, typeof Date(),
        new Intl.DateTimeFormat('en', { year: 'numeric', timeZone: 'UTC' }).format()];
      await null;
      return { before, after: Date.now(), chance: [ctx.random(), Math.random(), ctx.uuid()] };`;
    const stream = 'for (let n = 0; n < 3; n++) yield [ctx.now(), Math.random()];';
    const nodes = {
      start: { operator: 'trigger.manual' },
      first: { operator: 'code.run', params: { source } },
      second: { operator: 'code.run', params: { source } },
      items: { operator: 'code.stream', params: { source: stream } },
      all: { operator: 'core.unstreamify' },
      pause: { operator: 'logic.delay', params: { ms: 3_600_000 } },
      late: { operator: 'code.run', params: { source: 'return ctx.now();' } },
    };
    const edges = [
      'start > first',
      'start > second',
      'start > items',
      'items > all',
      'start > pause',
      'pause > late',
    ];
    project.write('flows/seeing.json', flowText('seeing', nodes, edges));
    const expected = {
      status: 'failed' as const,
      outputs: { first: { out: 0 }, second: { out: 0 }, all: { out: 0 }, late: { out: 0 } },
    };
    const now = '2026-01-01T00:00:00.000Z';
    project.write(
      'flows/seeing.test.json',
      tests(
        { name: 'a', now, input: null, expect: expected },
        { name: 'b', now, input: null, expect: expected },
      ),
    );
    await weft('test', '--update');
    const [a, b] = JSON.parse(project.read('flows/seeing.test.json')).cases;
    expect(a.expect).toEqual(b.expect);
    const { first, second, all, late } = a.expect.outputs;
    const at = Date.parse(now);
    expect(first.out.before).toEqual([at, at, now, 0, true, 'string', '2026']);
    expect(first.out.after).toBe(at);
    expect(first.out.chance).not.toEqual(second.out.chance);
    expect(all.out.map(([time]: number[]) => time)).toEqual([at, at, at]);
    expect(new Set(all.out.map(([, number]: number[]) => number)).size).toBe(3);
    expect(late.out).toBe(at + 3_600_000);
    expect((await weft('test')).code).toBe(0);
  });

  test('gives its results as JSON', async () => {
    write(apple({ outputs: { total: { out: 8 } } }));
    const { out } = await weft('test', '--json');
    expect(JSON.parse(out)).toMatchObject([
      {
        flow: 'shop',
        cases: [
          { name: 'an apple', passed: false, differences: [{ path: 'total.out', expected: 8, actual: 7 }] },
        ],
      },
    ]);
  });
});
