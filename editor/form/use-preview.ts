import { useEffect, useState, useSyncExternalStore } from 'react';
import { hasTemplate } from '#engine/check';
import type { Preview, RegexMaker } from '../model/expression-preview.ts';
import { needsRegex } from '../model/expression-text.ts';
import type { ScopeSource } from './form-model.ts';

const PAUSE_MS = 120;
const PLAIN: Preview = { kind: 'plain' };

let regex: RegexMaker | undefined;

/** The engine for patterns is as large as the rest of the preview, so it comes with the first pattern. */
async function loadRegex(): Promise<void> {
  const { RE2JS } = await import('re2js');
  regex = (pattern) => {
    const compiled = RE2JS.compile(pattern);
    return { test: (text) => compiled.matcher(text).find() };
  };
}

/** What a text comes to by the last run, a moment after it was typed. */
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
      const { previewOf } = await import('../model/expression-preview.ts');
      if (!isStale) setPreview(previewOf(text, scope.current(), regex));
    };
    const timer = setTimeout(() => {
      // Without the code, when the server is away, there is no preview.
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
