import { useEffect, useState, useSyncExternalStore } from 'react';
import { hasTemplate } from '#engine/check';
import type { Preview, RegexMaker } from '../model/expression/expression-preview.ts';
import { needsRegex } from '../model/expression/expression-text.ts';
import type { ScopeSource } from './form-model.ts';

const PAUSE_MS = 120;
const PLAIN: Preview = { kind: 'plain' };

let regex: RegexMaker | undefined;

/** The regex engine is as large as the rest of the preview, so it is loaded with the first pattern. */
async function loadRegex(): Promise<void> {
  const { RE2JS } = await import('re2js');
  regex = (pattern) => {
    const compiled = RE2JS.compile(pattern);
    return { test: (text) => compiled.matcher(text).find() };
  };
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
    const show = async () => {
      const { previewOf } = await import('../model/expression/expression-preview.ts');
      if (!isStale) setPreview(previewOf(text, scope.current(), regex));
    };
    const timer = setTimeout(() => {
      // If the server is unreachable, the code is missing and there is no preview.
      show().catch(() => undefined);
      if (needsRegex(text) && !regex)
        void loadRegex()
          .then(show)
          .catch(() => undefined);
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
