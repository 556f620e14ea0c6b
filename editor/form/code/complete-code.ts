import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { sourceOf } from '../../model/expression/expression-completion.ts';
import { briefly, membersOf, typeOf } from '../../model/expression/source-members.ts';
import type { ScopeSource } from '../form-model.ts';

/** What code can use, by what stands before the dot; docs/code.md describes it. A call ends with brackets. */
const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': {
    input: 'a copy of the input',
    ctx: 'the run, and access to everything outside',
    console: 'lines in the log of the run',
    Buffer: 'bytes, as in Node',
    TextEncoder: 'text to bytes',
    TextDecoder: 'bytes to text',
    URL: 'an address',
    URLSearchParams: 'the parameters of an address',
    crypto: 'random values, digests, signatures',
    'atob()': 'base64 to text',
    'btoa()': 'text to base64',
    'structuredClone()': 'a copy with dates, maps and bytes',
    'setTimeout()': 'calls a function later',
    'clearTimeout()': 'stops a timer',
  },
  ctx: {
    trigger: 'the request',
    vars: 'variables',
    item: 'the item of a stream or a loop',
    index: 'the number of the item, from 0',
    attempt: 'the attempt, from 1',
    idempotencyKey: 'the same for each attempt',
    'log()': 'a line in the log of the run',
    'fetch()': 'await: sends a request',
    'secret()': 'await: a secret of the node',
    'file()': 'a file of the run: await bytes(), text()',
    'newFile()': 'await: makes a file of name, type and bytes or text',
    state: 'values that outlive the run',
    'sleep()': 'await: waits for milliseconds',
    'now()': 'Unix time in milliseconds',
    'random()': 'a number from 0 to 1',
    'uuid()': 'an id',
    'hash()': 'SHA-256 in hex',
  },
  'ctx.log': { 'debug()': 'a line', 'info()': 'a line', 'warn()': 'a line', 'error()': 'a line' },
  'ctx.state': {
    'get()': 'await: a value, or null',
    'set()': 'await: stores a value',
    'add()': 'await: adds to a number and gives the new one',
    'remove()': 'await: forgets a value',
  },
  Buffer: {
    'from()': 'bytes of a text or a list',
    'alloc()': 'empty bytes',
    'concat()': 'bytes one after the other',
    'byteLength()': 'how many bytes a text has',
  },
  crypto: {
    'randomUUID()': 'an id that nobody can guess',
    'getRandomValues()': 'fills a list with random values',
    subtle: 'digests and signatures',
  },
  'crypto.subtle': {
    'digest()': 'await: a digest',
    'importKey()': 'await: a key',
    'sign()': 'await: a signature',
    'verify()': 'await: whether a signature is right',
  },
};

/** A chain of fields of the input before the cursor, and the word that is begun behind its dot. */
const OF_INPUT = /(?:^|[^\w$.])(input(?:\??\.[\w$]+|\[\d+\])*)(\??\.)([\w$]*)$/;

const PLACE = /(?:([\w$.]+)\.)?[\w$]*$/;

/** Suggests the names of the sandbox where one is being written; a whole one needs no suggestion, and Enter adds its line. */
export function codeSuggestions(context: CompletionContext, reads?: ScopeSource): CompletionResult | null {
  return inputSuggestions(context, reads) ?? ownSuggestions(context);
}

function ownSuggestions(context: CompletionContext): CompletionResult | null {
  const owner = PLACE.exec(context.matchBefore(PLACE)?.text ?? '')?.[1] ?? '';
  const names = Object.hasOwn(NAMES, owner) ? NAMES[owner] : undefined;
  const word = context.matchBefore(/[\w$]*$/) ?? { from: context.pos, text: '' };
  const isBegun = owner !== '' || word.text !== '' || context.explicit;
  if (!names || !isBegun || Object.hasOwn(names, word.text)) return null;
  const goesOn = (text: string): boolean => /^[\w$]*$/.test(text) && !Object.hasOwn(names, text);
  return { from: word.from, options: Object.entries(names).map(toCompletion), validFor: goesOn };
}

/** The fields that the input had in the last run, or that it is known to have. */
function inputSuggestions(
  context: CompletionContext,
  reads: ScopeSource | undefined,
): CompletionResult | undefined {
  const { from: start, text } = context.state.doc.lineAt(context.pos);
  const [, chain, , word = ''] = OF_INPUT.exec(text.slice(0, context.pos - start)) ?? [];
  const source = chain === undefined ? undefined : sourceOf(chain, '', reads?.current() ?? new Map());
  if (!source) return undefined;
  const options = [...membersOf(source)]
    .filter(([name]) => /^[A-Za-z_$][\w$]*$/.test(name))
    .map(([label, member]) => ({
      label,
      detail: member.value === undefined ? (typeOf(member) ?? '') : briefly(member.value),
    }));
  return options.length === 0
    ? undefined
    : { from: context.pos - word.length, options, validFor: /^[\w$]*$/ };
}

function toCompletion([label, detail]: readonly [string, string]): Completion {
  return { label, detail, ...(label.endsWith('()') && { type: 'function', apply: label.slice(0, -2) }) };
}

export const completeCode = (reads: ScopeSource | undefined): Extension =>
  autocompletion({
    // The keys of suggestions stand among those of the field, after its Escape.
    defaultKeymap: false,
    override: [(context) => codeSuggestions(context, reads)],
    icons: false,
    activateOnTypingDelay: 30,
  });
