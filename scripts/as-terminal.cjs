// Preloaded, it makes a program believe that its standard output is a terminal of PICTURE_COLUMNS columns, so that a
// picture shows the colours and line breaks that people see.
const tty = require('node:tty');

const { isatty } = tty;
tty.isatty = (file) => file === 1 || isatty(file);
Object.defineProperty(process.stdout, 'columns', { value: Number(process.env.PICTURE_COLUMNS) });
