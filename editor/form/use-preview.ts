import { useEffect, useState, useSyncExternalStore } from 'react';
import { hasTemplate } from '#engine/check';
import { needsRegex, type Preview, previewOf, type RegexMaker } from '../model/expression-preview.ts';
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
    const show = () => !isStale && setPreview(previewOf(text, scope.current(), regex));
    const timer = setTimeout(() => {
      show();
      if (needsRegex(text) && !regex) void loadRegex().then(show, () => undefined);
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
