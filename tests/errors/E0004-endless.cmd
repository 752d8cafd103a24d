4 check /dev/zero
