import { useEffect, useState } from 'react';
import { linearRegexOf } from '#engine/check';
import { type FindTexts, textFinder } from '#engine/edit';
import type { TextWish } from '#shared/find-text.ts';

/** The search for the text, or why there is none; undefined while nothing is asked, and while the engine of patterns is loaded. */
export function useFinder({ find, isPattern, isCaseSensitive }: TextWish): FindTexts | string | undefined {
  const [compile, setCompile] = useState<Parameters<typeof textFinder>[1]>();
  useEffect(() => {
    let isStale = false;
    import('re2js').then(
      ({ RE2JS }) => {
        if (!isStale) setCompile(() => (pattern: string) => linearRegexOf(RE2JS.compile(pattern)));
      },
      () => undefined,
    );
    return () => {
      isStale = true;
    };
  }, []);
  const [made, setMade] = useState<FindTexts | string>();
  useEffect(() => {
    setMade(find === '' || !compile ? undefined : finderOf({ find, isPattern, isCaseSensitive }, compile));
  }, [find, isPattern, isCaseSensitive, compile]);
  return made;
}

// A function in a state would be called to make the next one.
function finderOf(...of: Parameters<typeof textFinder>): () => FindTexts | string {
  let made: FindTexts | string;
  try {
    made = textFinder(...of);
  } catch (error) {
    made = `This pattern cannot be used: ${error instanceof Error ? error.message : String(error)}.`;
  }
  return () => made;
}
