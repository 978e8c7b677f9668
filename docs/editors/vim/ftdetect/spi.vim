" Vim itself takes such files for those of Spyce.
autocmd BufNewFile,BufRead *.spi set filetype=spi
