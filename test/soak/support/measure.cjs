'use strict';
// Tells how much memory the process had at most, in KB, to whoever named a file for it.
process.on('exit', () => {
  const path = process.env.HOLDFAST_SOAK_MEMORY;
  if (path) require('node:fs').writeFileSync(path, String(process.resourceUsage().maxRSS));
});
