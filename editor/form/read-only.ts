import { createContext } from 'react';

/** Whether the fields below are read-only. Native controls get that from a disabled fieldset; code editors from here. */
export const ReadOnly = createContext(false);
