package store

func runChild(mode string) int { return 2 }
