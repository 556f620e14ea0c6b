import { useEffect, useState } from 'react';
import { whenLoaded } from '../model/when-loaded.ts';

/** The advice of the error table; the table is loaded with the first error, not with the page. */
export function useRemedy(code: string): string | undefined {
  const [remedy, setRemedy] = useState<string>();
  useEffect(() => {
    let wanted = true;
    whenLoaded(import('#shared/errors.ts'), ({ errorEntry }) => {
      if (wanted) setRemedy(errorEntry(code)?.remedy);
    });
    return () => {
      wanted = false;
    };
  }, [code]);
  return remedy;
}
