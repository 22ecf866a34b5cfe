// Preloaded, it makes a program believe that its standard output is a terminal of PICTURE_COLUMNS columns, so that a
// picture shows the colours and line breaks that people see.
const fs = require('node:fs');

const { fstatSync } = fs;
fs.fstatSync = (file, ...rest) => {
  const stats = fstatSync(file, ...rest);
  if (file === 1) stats.isCharacterDevice = () => true;
  return stats;
};
Object.defineProperty(process.stdout, 'isTTY', { value: true });
Object.defineProperty(process.stdout, 'columns', {
  value: Number(process.env.PICTURE_COLUMNS),
});
