/** Why there is no value to show. */
export const NO_RUN = 'Run the flow once to preview.';
export const TOO_LARGE = 'The value of the last run was too large to store.';
export const NOT_REACHED = 'The last run has no value here; run the flow to preview.';
