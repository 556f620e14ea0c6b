import { useEffect, useState, useSyncExternalStore } from 'react';
import { hasTemplate, linearRegexOf } from '#engine/check';
import type { Library, Preview, PreviewTools } from '../model/expression/expression-preview.ts';
import type { ScopeSource } from './form-model.ts';

const PAUSE_MS = 120;
const PLAIN: Preview = { kind: 'plain' };

let libraries: PreviewTools = {};

/** The libraries of patterns and dates are as large as the rest of the preview, so each is loaded when it is first needed. */
const loaders: Readonly<Record<Library, () => Promise<PreviewTools>>> = {
  async regex() {
    const { RE2JS } = await import('re2js');
    return { regex: (pattern) => linearRegexOf(RE2JS.compile(pattern)) };
  },
  async dates() {
    const luxon = await import('luxon');
    return { dates: () => luxon };
  },
};

/** The value of a text in the last run. Libraries that it needs are loaded first. */
export async function evaluate(
  text: string,
  scope: Pick<ScopeSource, 'current' | 'timezone'> | undefined,
): Promise<Preview> {
  const { previewOf } = await import('../model/expression/expression-preview.ts');
  for (;;) {
    const timezone = scope?.timezone();
    const found = previewOf(text, scope?.current() ?? new Map(), {
      ...libraries,
      ...(timezone !== undefined && { timezone }),
    });
    const needs = found.kind === 'missing' ? found.needs : undefined;
    if (needs === undefined || libraries[needs]) return found;
    libraries = { ...libraries, ...(await loaders[needs]()) };
  }
}

/** The value of a text in the last run, a moment after it was typed. */
export function usePreview(text: string, scope: ScopeSource | undefined): Preview {
  const [preview, setPreview] = useState<Preview>(PLAIN);
  const version = useSyncExternalStore(scope?.subscribe ?? never, scope?.version ?? zero);
  useEffect(() => {
    if (!scope || !hasTemplate(text)) {
      setPreview(PLAIN);
      return;
    }
    let isStale = false;
    const show = (found: Preview): void => {
      if (!isStale) setPreview(found);
    };
    const timer = setTimeout(() => {
      // If the server is unreachable, the code is missing and there is no preview.
      evaluate(text, scope).then(show, () => undefined);
    }, PAUSE_MS);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [text, scope, version]);
  return preview;
}

const never = () => () => undefined;
const zero = () => 0;
