import { foreignModules, importsOf, opensConnections } from '../../frame/python-modules.ts';
import { isSecretText, schemeOf } from '../../frame/secrets.ts';
import { recordOf, selectorOf, textOf } from '../app.ts';
import { type Here, type Mapping, simple } from '../here.ts';
import { Unmapped } from '../unmapped.ts';
import { withRequests } from './python-requests.ts';
import { kindOf } from './texts.ts';
import { braces, members, type Value } from '../write.ts';

const LONGEST = 200_000;
const TIME = { maxMs: 60_000 };

/** JavaScript and Python, with the arguments of their function `main`. */
export const code: Mapping = (here) => {
  const { settings } = here;
  const language = settings.text('code_language') || 'python3';
  const source = settings.text('code');
  if (source.length > LONGEST) throw new Unmapped('its code is too long');
  settings.ignore('dependencies');
  if (language === 'python3') return python(here, source);
  if (language !== 'javascript') throw new Unmapped(`it is written in ${language.slice(0, 40)}`);
  tellKeys(here, source);
  const args = here.add('arguments', { operator: 'core.map', params: { value: argumentsOf(here) } });
  const id = here.main(
    {
      operator: 'code.run',
      params: { source: called(source), language: 'javascript', cpuMs: 5000, ...TIME },
    },
    (values) => ({ out: values }),
  );
  here.note('Its code runs in the sandbox of Weft, which has no require().');
  here.wire(`${args}.out`, `${id}.in`);
  return simple(`${args}.in`, `${id}.out`, outputsOf(here, id));
};

function argumentsOf({ settings, value }: Here): Record<string, string> {
  const variables = settings.records('variables').filter((one) => textOf(one['variable']) !== '');
  return Object.fromEntries(
    variables.map((one) => [textOf(one['variable']), braces(value(selectorOf(one['value_selector'])).expr)]),
  );
}

/** The function `main` of the file is called with all arguments as one object, as in Dify. */
function called(source: string): string {
  return `${source}\n\nreturn await main(input);`;
}

function outputsOf({ settings }: Here, id: string) {
  const outputs = Object.entries(recordOf(settings.get('outputs')));
  const kinds = new Map(outputs.map(([name, one]) => [name, kindOf(textOf(recordOf(one)['type']))]));
  return (path: readonly string[], q: '' | '?'): Value | undefined => {
    const [name = ''] = path;
    if (!kinds.has(name)) return undefined;
    return { expr: members(`nodes.${id}`, path, q), kind: path.length === 1 ? kinds.get(name) : undefined };
  };
}

const LITERAL = /(["'])((?:(?!\1)[^\\\n]|\\.)*)\1/g;

/** Keys that are written in the code as texts of their own are secrets, which the node reads when it runs. */
function withSecrets(here: Here, source: string): string {
  return source.replaceAll(LITERAL, (all, _quote: string, text: string, at: number) => {
    if (!isSecretText('', text) || /[rbfu]$/i.test(source.slice(0, at))) return all;
    const { secret } = schemeOf(text);
    if (/\s/.test(secret)) return all;
    const name = here.secrets.take(secret, 'key');
    here.need({
      kind: 'secret',
      name,
      kept: true,
      message: `Grant the secret ${name} to the node that reads it.`,
    });
    here.change({
      what: 'secret',
      effect: 'changed',
      after: name,
      message: `A key stood in the code; it is the secret ${name} now.`,
    });
    const read = `ctx.secret(${JSON.stringify(name)})`;
    return text === secret ? read : `(${JSON.stringify(text.slice(0, text.indexOf(secret)))} + ${read})`;
  });
}

/** Reports a key in code that could not be taken out. */
function tellKeys(here: Here, source: string): void {
  if (!isSecretText('', source)) return;
  here.note('A key stands in its code; put it into a secret before you publish.');
  here.change({
    what: 'secret',
    effect: 'changed',
    message: 'A key stands in the code; put it into a secret before you publish.',
  });
}

function python(here: Here, given: string): ReturnType<Mapping> {
  const source = withSecrets(here, given);
  tellKeys(here, source);
  const imports = importsOf(source);
  const isAsking = imports.includes('requests');
  const foreign = foreignModules(imports.filter((name) => name !== 'requests'));
  if (foreign.length > 0)
    throw new Unmapped(`its Python needs ${foreign.slice(0, 5).join(', ')}, which is not there`);
  if (opensConnections(source)) throw new Unmapped('its Python opens connections by itself');
  here.need({
    kind: 'package',
    name: 'weft-python',
    message: 'Install Python for code nodes: weft add weft-python.',
  });
  if (isAsking) here.note('What it uses of requests is a small stand-in over the guarded client of Weft.');
  const id = here.main(
    {
      operator: 'code.python',
      params: { source: isAsking ? withRequests(source) : source, params: argumentsOf(here), ...TIME },
    },
    (values) => ({
      out: values,
    }),
  );
  return simple(`${id}.in`, `${id}.out`, outputsOf(here, id));
}
