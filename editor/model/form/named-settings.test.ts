import { expect, test } from 'vitest';
import type { OperatorInfo } from '#shared/catalog.ts';
import { builtIns } from '../../../engine/testing/play.ts';
import { type FormField, NAME_KINDS, paramFields } from './schema-form.ts';

/**
 * Texts that people write, by the name of the setting: they name nothing that the server has. Whatever names something that is there
 * (a flow, a connection, a mailbox, a document, a stored value …) has a picker, so a new setting needs one, or a line here.
 */
const WRITTEN: Readonly<Record<string, string>> = {
  '': 'an element of a list below, or a value by name',
  accept: 'media types',
  at: 'a time',
  attribute: 'an attribute of HTML',
  audience: 'a claim of a token',
  bcc: 'mail addresses',
  before: 'a day',
  button: 'a label',
  cc: 'mail addresses',
  choices: 'options of a form, which are made here',
  comment: 'a character',
  cursorField: 'a query field of another server',
  description: 'a sentence for people or a model',
  expiresAfter: 'a time',
  failOn: 'statuses',
  for: 'a time',
  from: 'a mail address, or a part of one',
  header: 'a header of another server',
  headers: 'headers',
  help: 'a hint',
  inReplyTo: 'the id of a mail',
  issuer: 'an address',
  jwks: 'an address',
  label: 'a label',
  lang: 'a language',
  language: 'a language',
  lists: 'elements of XML',
  maxWait: 'a time',
  memory: 'a field of the request, which callers know',
  nothing: 'an answer',
  origins: 'addresses of sites',
  password: 'the password of one document',
  path: 'an address that is made here',
  pattern: 'a pattern',
  prefix: 'a text before a signature',
  range: 'cells',
  redirect: 'an address',
  region: 'a region of AWS',
  replacement: 'a text',
  replyTo: 'mail addresses',
  rows: 'a selector',
  selector: 'a selector',
  separator: 'a text',
  service: 'a service of AWS',
  sheet: 'a sheet of a file that comes in',
  since: 'a day',
  stop: 'texts',
  subject: 'a subject',
  text: 'a text in a mail',
  timestampHeader: 'a header of another server',
  title: 'a heading',
  to: 'mail addresses',
  type: 'a media type',
  url: 'an address',
  user: 'a user of whoever calls',
  username: 'a user of another server',
  who: 'people, for people to read',
};

/** The same for names that some settings take and others give. */
const GIVEN: Readonly<Record<string, string>> = {
  'agent.run agent.name': 'the name that the agent gets',
  'data.aggregate fields[].name': 'a field that is made here',
  'data.aggregate-stream fields[].name': 'a field that is made here',
  'data.rename fields.*': 'the new name of a field',
  'data.write-csv name': 'the name that a file gets',
  'data.write-xlsx name': 'the name that a file gets',
  'file.from-text name': 'the name that a file gets',
  'file.zip name': 'the name that a file gets',
  'http.pages auth.name': 'a header or field of another server',
  'http.request auth.name': 'a header or field of another server',
  'human.form fields[].name': 'a field that is made here',
  'logic.stop code': 'the code of an error that is made here',
  'logic.rate-gate key': 'what a limit belongs to, of the input',
  'logic.wait-for-event name': 'the event that another program sends',
  'mcp.call auth.name': 'a header of another server',
  'mcp.call name': 'a tool, a prompt or a resource of another server',
  'model.chat tools[].name': 'a tool that is described here',
  'model.openai-stream model': 'the name that clients are told',
  'model.request tools[].name': 'a tool that is described here',
  'model.stream tools[].name': 'a tool that is described here',
  'redis.get key': 'a key of another server',
  'redis.set key': 'a key of another server',
  'ssh.run folder': 'a folder of another server',
  'text.select-html fields[].name': 'a field that is made here',
  'trigger.form fields[].name': 'a field that is made here',
  'trigger.poll auth.name': 'a header or field of another server',
};

/** All texts of one line, by their place. */
function textsIn(fields: readonly FormField[], at = ''): string[] {
  return fields.flatMap((field) => {
    const place = field.name === '' ? at : at === '' ? field.name : `${at}.${field.name}`;
    const { shape } = field;
    switch (shape.kind) {
      case 'text':
        return shape.multiline || shape.portName ? [] : [place];
      case 'list':
        return textsIn([shape.item], `${place}[]`);
      case 'record':
        return textsIn([shape.value], `${place}.*`);
      case 'object':
        return textsIn(shape.fields, place);
      case 'union':
        return shape.variants.flatMap((variant) => textsIn(variant.fields, place));
      default:
        return [];
    }
  });
}

const operators = Object.values(builtIns.catalog.operators).filter(({ replacedBy }) => !replacedBy);
const lastName = (place: string): string =>
  place
    .replaceAll(/\[\]|\.\*/g, '')
    .split('.')
    .at(-1) ?? '';

const bare = ({ type, ...info }: OperatorInfo): string[] =>
  textsIn(paramFields({ type, ...info })).map((place) => `${type} ${place}`);

test('no setting that names something of the server is a text to be typed', () => {
  const all = operators.flatMap(bare);
  const unknown = all.filter((place) => {
    const [, path = ''] = place.split(' ');
    return !Object.hasOwn(GIVEN, place) && !Object.hasOwn(WRITTEN, lastName(path));
  });
  expect(unknown, 'give it a picker (widget), or say in this file what is written there').toEqual([]);
});

test('every text that is said to be given by name is there', () => {
  const all = new Set(operators.flatMap(bare));
  expect(Object.keys(GIVEN).filter((place) => !all.has(place))).toEqual([]);
});

test('every kind of name has an operator or a tool that names it', () => {
  const used = JSON.stringify(operators.map(({ params }) => params));
  expect(NAME_KINDS.filter((kind) => !used.includes(`"widget":"${kind}"`))).toEqual([]);
});
