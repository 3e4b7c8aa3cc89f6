package mcpclient

func misbehave(string) {}
